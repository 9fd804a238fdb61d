import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PALETTE_COLOURS = 3;
const FILTER_NONE = 0;
const FILTER_UP = 2;

/** Red, green and blue, 0 to 255 each. */
export type Rgb = readonly [number, number, number];

/** Encodes a PNG with a palette of at most 256 colours; `pixels` are palette indexes, row by row. */
export function encodePng(width: number, height: number, palette: readonly Rgb[], pixels: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, PALETTE_COLOURS, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(filtered(width, height, pixels), { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A row that equals the one above is filtered to zeros, which compress well; every second row does. */
function filtered(width: number, height: number, pixels: Uint8Array): Buffer {
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    const row = pixels.subarray(y * width, (y + 1) * width);
    const same = y > 0 && Buffer.compare(row, pixels.subarray((y - 1) * width, y * width)) === 0;
    rows[y * (width + 1)] = same ? FILTER_UP : FILTER_NONE;
    if (!same) rows.set(row, y * (width + 1) + 1);
  }
  return rows;
}

function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.concat([Buffer.alloc(4), Buffer.from(type, 'latin1'), data, Buffer.alloc(4)]);
  framed.writeUInt32BE(data.length, 0);
  framed.writeUInt32BE(crc32(framed.subarray(4, -4)), framed.length - 4);
  return framed;
}
