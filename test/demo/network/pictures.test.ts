import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, inflateSync } from 'node:zlib';
import { encodePng } from '#demo/network/map-image/png.ts';
import { ofType, shortHistory } from './sample.ts';

interface Png {
  width: number;
  height: number;
  colours: number;
  pixels: Uint8Array;
}

test('every map has its own small picture of 290 by 246 pixels', () => {
  const published = ofType(shortHistory().events, 'map.published').filter(({ data }) => data.image !== undefined);
  assert.equal(published.length, 40);
  const pictures = published.map(({ data }) => Buffer.from(data.image!.data, 'base64'));
  for (const picture of pictures) {
    const { width, height, colours, pixels } = decode(picture);
    assert.deepEqual([width, height], [290, 246]);
    assert.ok(picture.length < 15_000);
    assert.ok(colours > 20 && colours <= 256);
    assert.ok(new Set(pixels).size > 20, 'a picture uses more than 20 colours');
  }
  assert.equal(new Set(pictures.map((picture) => picture.toString('base64'))).size, 40);
});

test('later versions of a map have no picture of their own', () => {
  const published = ofType(shortHistory().events, 'map.published');
  const known = new Set<string>();
  for (const { data } of published) {
    assert.equal(data.image === undefined, known.has(data.name));
    known.add(data.name);
  }
  assert.ok(published.length > 40);
});

test('pictures differ between maps and are the same for the same map', () => {
  const { sample } = shortHistory();
  const [first, second] = [sample.maps[0]!, sample.maps[1]!].map((map) => sample.imageOf(map));
  assert.notDeepEqual(first, second);
  assert.deepEqual(sample.imageOf(sample.maps[0]!), first, 'the same map is drawn the same way');
});

test('an encoded PNG decodes to the same pixels', () => {
  const palette = [
    [0, 0, 0],
    [255, 0, 0],
    [1, 2, 3],
  ] as const;
  const pixels = Uint8Array.from([0, 1, 2, 0, 1, 2, 2, 2, 2]);
  assert.deepEqual(decode(encodePng(3, 3, palette, pixels)).pixels, pixels);
});

/** Decodes a PNG of `encodePng`, and checks signature, checksums and sizes. */
function decode(png: Buffer): Png {
  assert.deepEqual([...png.subarray(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10]);
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    assert.equal(png.readUInt32BE(at + 8 + length), crc32(png.subarray(at + 4, at + 8 + length)));
    chunks.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  assert.deepEqual([...chunks.keys()], ['IHDR', 'PLTE', 'IDAT', 'IEND']);
  const header = chunks.get('IHDR')!;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const colours = chunks.get('PLTE')!.length / 3;
  return { width, height, colours, pixels: unfilter(width, height, inflateSync(chunks.get('IDAT')!)) };
}

function unfilter(width: number, height: number, rows: Buffer): Uint8Array {
  assert.equal(rows.length, (width + 1) * height);
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (width + 1)]!;
    assert.ok(filter === 0 || filter === 2);
    for (let x = 0; x < width; x++) {
      const above = filter === 2 ? pixels[(y - 1) * width + x]! : 0;
      pixels[y * width + x] = (rows[y * (width + 1) + 1 + x]! + above) & 255;
    }
  }
  return pixels;
}
