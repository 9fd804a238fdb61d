import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';

/** The font of the site's titles, with the letters of Western European languages. */
const OWN_FONT = '@fontsource-variable/bricolage-grotesque/files/bricolage-grotesque-latin-wght-normal.woff2';
const OWN_FAMILY = 'Bricolage Grotesque';
/** A pixel font with every script of Unicode, so that any name can be drawn. */
const PIXEL_FONT = '@fontsource/unifontex/files/unifontex-latin-400-normal.woff';
const PIXEL_FAMILY = 'UnifontEX';
const OWN_LETTERS = /^[ -~\u00a0-\u00ff\u2013\u2014\u2018-\u201d\u2022\u2026\u20ac]*$/;

/** The family of a text. A text is drawn in one font: letters of two beside each other look like a fault. */
export const familyOf = (text: string): string => (OWN_LETTERS.test(text) ? OWN_FAMILY : PIXEL_FAMILY);

/** Sizes at which the pixels of the font meet those of the picture. */
const GRID = 16;

/** The fonts as the renderer reads them. */
export const readFonts = (): Uint8Array[] => [readFileSync(new URL(import.meta.resolve(OWN_FONT))), readPixelFont()];

const HEADER_BYTES = 44;
const ENTRY_BYTES = 20;

/** The font as an OpenType file. The package has it as WOFF 1.0, whose tables are compressed one by one. */
function readPixelFont(): Uint8Array {
  const woff = readFileSync(new URL(import.meta.resolve(PIXEL_FONT)));
  const count = woff.readUInt16BE(12);
  const header = Buffer.alloc(12 + count * 16);
  woff.copy(header, 0, 4, 8);
  header.writeUInt16BE(count, 4);
  const power = Math.floor(Math.log2(count));
  header.writeUInt16BE(16 << power, 6);
  header.writeUInt16BE(power, 8);
  header.writeUInt16BE(count * 16 - (16 << power), 10);
  const tables: Buffer[] = [header];
  let offset = header.length;
  for (let index = 0; index < count; index++) {
    const { tag, table, checksum } = tableAt(woff, HEADER_BYTES + index * ENTRY_BYTES);
    const entry = 12 + index * 16;
    header.write(tag, entry, 'latin1');
    header.writeUInt32BE(checksum, entry + 4);
    header.writeUInt32BE(offset, entry + 8);
    header.writeUInt32BE(table.length, entry + 12);
    tables.push(table, Buffer.alloc(-table.length & 3));
    offset += table.length + (-table.length & 3);
  }
  return Buffer.concat(tables);
}

function tableAt(woff: Buffer, entry: number): { tag: string; table: Buffer; checksum: number } {
  const [start, packed, length, checksum] = [4, 8, 12, 16].map((place) => woff.readUInt32BE(entry + place)) as [
    number,
    number,
    number,
    number,
  ];
  const bytes = woff.subarray(start, start + packed);
  return {
    tag: woff.toString('latin1', entry, entry + 4),
    table: packed < length ? inflateSync(bytes) : bytes,
    checksum,
  };
}

/** The width of a text at size 1, or a little more. */
export function textWidth(text: string): number {
  const widthOf = familyOf(text) === OWN_FAMILY ? ownWidth : pixelWidth;
  return Array.from(text).reduce((sum, character) => sum + widthOf(character), 0);
}

function ownWidth(character: string): number {
  if (/[ !'(),./:;IJ[\]`fijlrt|·]/.test(character)) return 0.4;
  return /[%&@MWmw…—]/.test(character) ? 1.05 : 0.65;
}

/** Latin, Greek, Cyrillic, Hebrew and Arabic letters take half of a square. */
function pixelWidth(character: string): number {
  const code = character.codePointAt(0)!;
  return code < 0x0700 || (code >= 0x1e00 && code < 0x2070) ? 0.5 : 1;
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The largest of the sizes (largest first, multiples of 16 for the pixel font) at which the text fits; at the smallest it is shortened. */
export function fitted(text: string, width: number, sizes: readonly number[]): { text: string; size: number } {
  const size = sizes.find((candidate) => textWidth(text) * candidate <= width) ?? sizes.at(-1) ?? GRID;
  if (textWidth(text) * size <= width) return { text, size };
  let short = '';
  for (const { segment } of characters.segment(text)) {
    if ((textWidth(short + segment) + 0.5) * size > width) break;
    short += segment;
  }
  return { text: `${short}…`, size };
}
