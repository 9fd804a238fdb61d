import assert from 'node:assert/strict';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { importPgmMaps } from '#importers/pgm-map.ts';
import { scorehallProcess } from '#test/cli/scorehall.ts';
import { networkLookup, folderOf, reportAll } from './fixtures.ts';

interface Imported {
  notes: string[];
  /** The picture of each map; undefined for a map without one. */
  images: ({ content_type: string; bytes: Buffer } | undefined)[];
}

async function importImages(files: Record<string, string | Uint8Array>): Promise<Imported> {
  await using folder = await folderOf(files);
  const { events, refusals, notes } = await reportAll(importPgmMaps(folder.path, networkLookup()));
  assert.deepEqual(refusals, []);
  const images = events.map((event) => {
    assert.ok(event.type === 'map.published');
    const { image } = event.data;
    return image && { content_type: image.content_type, bytes: Buffer.from(image.data, 'base64') };
  });
  return { notes, images };
}

const mapNamed = (name: string, inside = '') =>
  `<map><name>${name}</name><version>1.0</version><objective>o</objective>${inside}</map>`;

const oneMap = (image: Uint8Array) => ({ 'a/map.xml': mapNamed('A'), 'a/map.png': image });

/** A picture of the given size in one colour, or of random colours, which no encoder makes small. */
function picture(width: number, height: number, noise = false): Sharp {
  const background = { r: 40, g: 90, b: 60 };
  const plain = { width, height, channels: 3, background } as const;
  if (!noise) return sharp({ create: plain });
  return sharp({ create: { ...plain, noise: { type: 'gaussian', mean: 128, sigma: 60 } } });
}

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** A PNG whose header claims a size that its data does not have. */
function claiming(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', Buffer.of(0)), chunk('IEND', Buffer.of())]);
}

test("an image is detected from its content and stays as it is; a variant's image takes precedence", async () => {
  const png = await picture(64, 64).png().toBuffer();
  const jpeg = await picture(64, 64).jpeg().toBuffer();
  const variants =
    '<variant id="n" world="night">Night</variant><variant id="d" world="day">Day</variant><variant id="w" world="web">Web</variant>';
  const { images, notes } = await importImages({
    'keep/map.xml': mapNamed('Keep', variants),
    'keep/map.png': png,
    'keep/night/map.png': jpeg,
    'keep/web/map.png': await picture(64, 64).webp().toBuffer(),
  });
  assert.deepEqual(notes, []);
  assert.deepEqual(
    images.map((image) => image?.content_type),
    ['image/png', 'image/jpeg', 'image/png', 'image/webp'],
  );
  assert.deepEqual([images[0]!.bytes, images[1]!.bytes], [png, jpeg]);
});

test('an image that is too large for an event is scaled down, and the same file gives the same image', async () => {
  const large = await picture(900, 1200, true).png({ compressionLevel: 1 }).toBuffer();
  assert.ok(large.length > 512_000 && large.length <= 4_000_000, `${large.length} bytes`);
  const [first, second] = [await importImages(oneMap(large)), await importImages(oneMap(large))];
  const [image] = first.images;
  assert.deepEqual(first.notes, []);
  assert.ok(image!.content_type === 'image/webp' && image!.bytes.length <= 512_000);
  const { width, height, format } = await sharp(image!.bytes).metadata();
  assert.deepEqual([format, width / height], ['webp', 0.75], 'the proportions stay');
  assert.deepEqual(second.images, first.images);
});

test("the camera's orientation is applied to a scaled image, and its metadata is removed", async () => {
  const metadata = { orientation: 6, exif: { IFD0: { Artist: 'Somebody' } } };
  const turned = await picture(1400, 700, true).withMetadata(metadata).jpeg({ quality: 100 }).toBuffer();
  assert.ok(turned.length > 512_000);
  const [image] = (await importImages(oneMap(turned))).images;
  const { width, height, exif } = await sharp(image!.bytes).metadata();
  assert.deepEqual([height / width, exif], [2, undefined]);
});

test('an image with too many pixels is refused by its header, before it is decoded', async () => {
  const edge = await importImages(oneMap(claiming(8_000, 5_000)));
  assert.deepEqual([edge.notes, edge.images[0]?.content_type], [[], 'image/png']);
  const { images, notes } = await importImages(oneMap(claiming(8_000, 5_001)));
  assert.deepEqual(images, [undefined]);
  assert.deepEqual(notes, [
    'a/map.png: has 8000 × 5001 pixels, more than 40 million; the map is imported without an image',
  ]);
});

test('a file that is no picture, is damaged or is too large is noted, and the map comes without an image', async () => {
  const large = await picture(900, 1200, true).png({ compressionLevel: 1 }).toBuffer();
  const bad = {
    'a/map.png': 'text',
    'b/map.png': Buffer.alloc(4_000_001),
    'c/map.png': Buffer.from('89504e470d0a1a0a00', 'hex'),
    'd/map.png': large.subarray(0, large.length / 2),
  };
  const maps = Object.keys(bad).map((path) => [path.replace('png', 'xml'), mapNamed(path)]);
  const { images, notes } = await importImages({ ...bad, ...Object.fromEntries(maps) });
  assert.deepEqual(images, [undefined, undefined, undefined, undefined]);
  const without = 'the map is imported without an image';
  assert.deepEqual(notes, [
    `a/map.png: is not a PNG, JPEG or WebP picture; ${without}`,
    `b/map.png: is larger than 4 MB; ${without}`,
    `c/map.png: is damaged: its size cannot be read; ${without}`,
    `d/map.png: is damaged: it cannot be decoded; ${without}`,
  ]);
});

test('a missing binary of sharp is an error of the installation, not of the picture', async () => {
  await using folder = await folderOf(oneMap(await picture(8, 8).png().toBuffer()));
  const hook =
    'import{registerHooks}from"node:module";registerHooks({resolve(name,context,next){' +
    'if(name==="sharp")throw new Error("no binary");return next(name,context)}})';
  const settings = {
    DATABASE_URL: join(folder.path, 'scorehall.db'),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
  };
  const { status, err } = scorehallProcess('', settings, 'import', 'pgm-maps', folder.path);
  assert.equal(status, 2);
  assert.match(err, /^scorehall: The pictures of maps need the package sharp .*without --omit=optional.*\n$/);
});
