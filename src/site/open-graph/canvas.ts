import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import { channels } from '#platform/colours.ts';
import { GLYPH_HEIGHT, GLYPH_WIDTH, glyph } from './glyphs.ts';

/** What those who show a link show of its picture: 1200 × 630, drawn in squares of three pixels. */
const WIDTH = 400;
const HEIGHT = 210;
const SQUARE = 3;

const deflated = promisify(deflate);

/** A picture of few colours. */
export class Canvas {
  readonly width = WIDTH;
  readonly height = HEIGHT;
  readonly #cells: Uint8Array;
  readonly #palette: string[];

  constructor(ground: string) {
    this.#palette = [ground];
    this.#cells = new Uint8Array(WIDTH * HEIGHT);
  }

  fill(left: number, top: number, width: number, height: number, colour: string): void {
    const ink = this.#ink(colour);
    const [from, to] = [Math.max(0, left), Math.min(WIDTH, left + width)];
    if (to <= from) return;
    for (let row = Math.max(0, top); row < Math.min(HEIGHT, top + height); row++)
      this.#cells.fill(ink, row * WIDTH + from, row * WIDTH + to);
  }

  /** Writes a line, cut off with a dash where it is too long. */
  write(text: string, left: number, top: number, size: number, colour: string, most = WIDTH - left): void {
    const module = Math.floor((most + size) / ((GLYPH_WIDTH + 1) * size));
    const shown = text.length <= module ? text : `${text.slice(0, Math.max(0, module - 1))}–`;
    Array.from(shown).forEach((character, place) => {
      this.#glyph(character, left + place * (GLYPH_WIDTH + 1) * size, top, size, colour);
    });
  }

  /** The width of a line that is not cut off. */
  static widthOf(text: string, size: number): number {
    return text.length * (GLYPH_WIDTH + 1) * size - size;
  }

  #glyph(character: string, left: number, top: number, size: number, colour: string): void {
    const rows = glyph(character);
    for (let row = 0; row < GLYPH_HEIGHT; row++) {
      for (let column = 0; column < GLYPH_WIDTH; column++) {
        if (((rows[row]! >> (GLYPH_WIDTH - 1 - column)) & 1) === 0) continue;
        this.fill(left + column * size, top + row * size, size, size, colour);
      }
    }
  }

  #ink(colour: string): number {
    const known = this.#palette.indexOf(colour);
    if (known >= 0) return known;
    if (this.#palette.length === 256) throw new RangeError('A card has at most 256 colours');
    return this.#palette.push(colour) - 1;
  }

  /** The picture as a PNG with a palette. */
  async png(): Promise<Uint8Array<ArrayBuffer>> {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(WIDTH * SQUARE, 0);
    header.writeUInt32BE(HEIGHT * SQUARE, 4);
    header.set([8, 3, 0, 0, 0], 8);
    const palette = Buffer.from(this.#palette.flatMap(channels));
    const body = await deflated(this.#lines(), { level: 6 });
    const chunks = [chunk('IHDR', header), chunk('PLTE', palette), chunk('IDAT', body), chunk('IEND', Buffer.alloc(0))];
    return Uint8Array.from(Buffer.concat([SIGNATURE, ...chunks]));
  }

  /** Lines of pixels; one that is as the one above says only that (filter "up" of zeros). */
  #lines(): Buffer {
    const length = WIDTH * SQUARE + 1;
    const lines = Buffer.alloc(length * HEIGHT * SQUARE);
    for (let row = 0; row < HEIGHT; row++) {
      const start = row * SQUARE * length;
      for (let column = 0; column < WIDTH; column++) {
        lines.fill(this.#cells[row * WIDTH + column]!, start + 1 + column * SQUARE, start + 1 + (column + 1) * SQUARE);
      }
      for (let copy = 1; copy < SQUARE; copy++) lines[start + copy * length] = 2;
    }
    return lines;
  }
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(data.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}
