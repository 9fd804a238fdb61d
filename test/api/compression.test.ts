import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { codingFor } from '#api/response.ts';
import { testApi } from '#test/support/api.ts';
import { map, sendEvents } from '#test/support/builders.ts';
import { createTestDatabase } from '#test/support/context.ts';

const DECODERS: Record<string, (bytes: Buffer) => Buffer> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

test('an answer is compressed only for who asks for it, in the coding they like best', () => {
  const wanted: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1, br;q=0.5, zstd;q=0.1', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0, br', 'br'],
    ['gzip ; q=0.0', undefined],
    ['*;q=0', undefined],
    ['gzip, *;q=0', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=1', 'gzip'],
    ['gzip;q=1;q=0', 'gzip'],
    ['gzip;q=nonsense', undefined],
    ['gzip;q=-1', undefined],
    [',,;;,', undefined],
  ];
  for (const [header, coding] of wanted) assert.equal(codingFor(header), coding, String(header));
  assert.ok(codingFor('*') !== undefined);
});

test('a compressed answer says so, and is the same answer', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { context, get } = await testApi(t, database.url);
  await sendEvents(context, ...Array.from({ length: 20 }, (_, number) => map(`Map ${number}`)));
  const plain = await get('/v1/maps');
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.match(String(plain.headers.vary), /Accept-Encoding/);
  for (const coding of Object.keys(DECODERS)) {
    const packed = await get('/v1/maps', { headers: { 'accept-encoding': coding } });
    assert.equal(packed.headers['content-encoding'], coding);
    assert.equal(packed.headers['content-length'], String(packed.bytes.length));
    assert.ok(packed.bytes.length < plain.bytes.length / 2);
    assert.equal(DECODERS[coding]!(packed.bytes).toString(), plain.text);
    assert.equal(packed.headers.etag, plain.headers.etag);
    const head = await get('/v1/maps', { method: 'HEAD', headers: { 'accept-encoding': coding } });
    assert.equal(head.headers['content-length'], packed.headers['content-length']);
  }
  const small = await get('/v1/servers/online', { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(small.headers['content-encoding'], undefined, 'what fits in a packet is sent as it is');
  t.after(() => database.drop());
});
