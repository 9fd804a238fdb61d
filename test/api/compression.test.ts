import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { codingFor } from '#http/content-coding.ts';
import { testApi } from '#test/support/api.ts';
import { map, sendEvents } from '#test/support/builders.ts';
import { createTestDatabase } from '#test/support/context.ts';

const DECODERS: Record<string, (bytes: Buffer) => Buffer> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

test('a response is compressed only on request, with the preferred coding of the client', () => {
  const expected: [header: string | undefined, coding: string | undefined][] = [
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
    ['*', 'gzip'],
    ['*;q=0.5, br;q=0.4', 'gzip'],
    ['*;q=0.5, br', 'br'],
    ['gzip;q=0, *', undefined],
    ['*;q=0', undefined],
    ['gzip, *;q=0', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=1', 'gzip'],
    ['gzip;q=1;q=0', 'gzip'],
    ['gzip;q=nonsense', undefined],
    ['gzip;q=-1', undefined],
    [',,;;,', undefined],
  ];
  for (const [header, coding] of expected)
    assert.equal(codingFor(header, ['zstd', 'br', 'gzip']), coding, String(header));
});

test('a compressed response has Content-Encoding and decompresses to the same body', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { context, get } = await testApi(t, database.url);
  await sendEvents(context, ...Array.from({ length: 20 }, (_, number) => map(`Map ${number}`)));
  const plain = await get('/v1/maps');
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.match(String(plain.headers.vary), /Accept-Encoding/);
  for (const coding of Object.keys(DECODERS)) {
    const compressed = await get('/v1/maps', { headers: { 'accept-encoding': coding } });
    assert.equal(compressed.headers['content-encoding'], coding);
    assert.equal(compressed.headers['content-length'], String(compressed.bytes.length));
    assert.ok(compressed.bytes.length < plain.bytes.length / 2);
    assert.equal(DECODERS[coding]!(compressed.bytes).toString(), plain.text);
    assert.equal(compressed.headers.etag, plain.headers.etag);
    const head = await get('/v1/maps', { method: 'HEAD', headers: { 'accept-encoding': coding } });
    assert.equal(head.headers['content-length'], compressed.headers['content-length']);
  }
  const small = await get('/v1/servers/online', { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(small.headers['content-encoding'], undefined, 'a small body is not compressed');
  t.after(() => database.drop());
});
