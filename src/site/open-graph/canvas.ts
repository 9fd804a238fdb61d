import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import { channels } from '#platform/colours.ts';
import { GLYPH_HEIGHT, GLYPH_WIDTH, glyph } from './glyphs.ts';

/** Open Graph images are 1200 × 630 pixels. Each cell of the canvas is a square of three by three pixels. */
const WIDTH = 400;
const HEIGHT = 210;
const CELL_PIXELS = 3;

const deflateAsync = promisify(deflate);

/** An image with a palette of at most 256 colours. */
export class Canvas {
  readonly width = WIDTH;
  readonly height = HEIGHT;
  readonly #cells: Uint8Array;
  readonly #palette: string[];

  constructor(background: string) {
    this.#palette = [background];
    this.#cells = new Uint8Array(WIDTH * HEIGHT);
  }

  fill(left: number, top: number, width: number, height: number, colour: string): void {
    const index = this.#paletteIndex(colour);
    const [from, to] = [Math.max(0, left), Math.min(WIDTH, left + width)];
    if (to <= from) return;
    for (let row = Math.max(0, top); row < Math.min(HEIGHT, top + height); row++)
      this.#cells.fill(index, row * WIDTH + from, row * WIDTH + to);
  }

  /** Writes one line of text. A text wider than `maxWidth` cells is truncated and ends with a dash. */
  write(text: string, left: number, top: number, size: number, colour: string, maxWidth = WIDTH - left): void {
    const capacity = Math.floor((maxWidth + size) / ((GLYPH_WIDTH + 1) * size));
    const line = text.length <= capacity ? text : `${text.slice(0, Math.max(0, capacity - 1))}–`;
    Array.from(line).forEach((character, index) => {
      this.#glyph(character, left + index * (GLYPH_WIDTH + 1) * size, top, size, colour);
    });
  }

  /** The width of a text in cells, without truncation. */
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

  /** The index of a colour in the palette, to which a new colour is added. */
  #paletteIndex(colour: string): number {
    const index = this.#palette.indexOf(colour);
    if (index >= 0) return index;
    if (this.#palette.length === 256) throw new RangeError('An image has at most 256 colours');
    return this.#palette.push(colour) - 1;
  }

  /** Encodes the image as a PNG with a palette. */
  async png(): Promise<Uint8Array<ArrayBuffer>> {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(WIDTH * CELL_PIXELS, 0);
    header.writeUInt32BE(HEIGHT * CELL_PIXELS, 4);
    header.set([8, 3, 0, 0, 0], 8);
    const palette = Buffer.from(this.#palette.flatMap(channels));
    const body = await deflateAsync(this.#scanLines(), { level: 6 });
    const chunks = [chunk('IHDR', header), chunk('PLTE', palette), chunk('IDAT', body), chunk('IEND', Buffer.alloc(0))];
    return Uint8Array.from(Buffer.concat([SIGNATURE, ...chunks]));
  }

  /**
   * The scan lines of the PNG: a filter byte and the pixels. A line that repeats the one above is filter 2 ("Up") with
   * zeros only, which compresses to almost nothing.
   */
  #scanLines(): Buffer {
    const length = WIDTH * CELL_PIXELS + 1;
    const lines = Buffer.alloc(length * HEIGHT * CELL_PIXELS);
    for (let row = 0; row < HEIGHT; row++) {
      const start = row * CELL_PIXELS * length;
      for (let column = 0; column < WIDTH; column++) {
        lines.fill(
          this.#cells[row * WIDTH + column]!,
          start + 1 + column * CELL_PIXELS,
          start + 1 + (column + 1) * CELL_PIXELS,
        );
      }
      for (let copy = 1; copy < CELL_PIXELS; copy++) lines[start + copy * length] = 2;
    }
    return lines;
  }
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A PNG chunk: length, type, data, and the CRC of type and data. */
function chunk(type: string, data: Buffer): Buffer {
  const typeAndData = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const encoded = Buffer.alloc(typeAndData.length + 8);
  encoded.writeUInt32BE(data.length, 0);
  typeAndData.copy(encoded, 4);
  encoded.writeUInt32BE(crc32(typeAndData), typeAndData.length + 4);
  return encoded;
}
