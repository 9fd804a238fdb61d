import { crc32, deflateSync } from 'node:zlib';

/** A PNG of 8 by 8 pixels of one grey. */
export function pngOf(grey: number): Uint8Array<ArrayBuffer> {
  const header = Buffer.from([0, 0, 0, 8, 0, 0, 0, 8, 8, 0, 0, 0, 0]);
  const rows = Buffer.concat(Array.from({ length: 8 }, () => Buffer.from([0, ...Array<number>(8).fill(grey)])));
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Uint8Array.from(Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]));
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [data.length, crc32(typed)].map((value) => {
    const field = Buffer.alloc(4);
    field.writeUInt32BE(value);
    return field;
  });
  return Buffer.concat([length!, typed, check!]);
}
