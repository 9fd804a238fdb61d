import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { ofType, shortHistory } from './sample.ts';

const PNG_SIGNATURE = '89504e470d0a1a0a';

test('every map has its own small picture of 290 by 246 pixels', () => {
  const published = ofType(shortHistory().events, 'map.published').filter(({ data }) => data.image !== undefined);
  assert.equal(published.length, 40);
  const pictures = published.map(({ data }) => Buffer.from(data.image!.data, 'base64'));
  for (const picture of pictures) {
    assert.equal(picture.toString('hex', 0, 8), PNG_SIGNATURE);
    assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [290, 246]);
    assert.ok(picture.length < 15_000);
  }
  assert.equal(new Set(pictures.map((picture) => picture.toString('base64'))).size, 40);
});

test('every picture belongs to a map', () => {
  assert.equal(readdirSync('demo/network/pictures').length, shortHistory().sample.maps.length);
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
