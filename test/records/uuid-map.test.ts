import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { beginningOf, UuidMap } from '#records/uuid-map.ts';

/** Many begin alike: their first eight digits are drawn from a few. */
const uuid = fc
  .tuple(fc.constantFrom('00000000', '7fffffff', '80000000', 'ffffffff', 'deadbeef'), fc.nat({ max: 9 }))
  .map(([beginning, end]) => `${beginning}-0000-4000-8000-00000000000${end}`);

test('a map by UUIDs holds what a map holds', () => {
  fc.assert(
    fc.property(fc.array(uuid), fc.array(uuid), (added, asked) => {
      const map = new UuidMap<{ uuid: string; place: number }>();
      const plain = new Map<string, { uuid: string; place: number }>();
      added.forEach((uuid, place) => {
        map.add({ uuid, place });
        plain.set(uuid, { uuid, place });
      });
      assert.equal(map.size, plain.size);
      for (const one of [...added, ...asked]) {
        assert.deepEqual(map.get(one), plain.get(one));
        assert.equal(map.has(one), plain.has(one));
      }
      map.clear();
      assert.equal(map.size, 0);
      for (const one of added) assert.equal(map.get(one), undefined);
    }),
  );
});

test('the beginning of a UUID is its first eight digits', () => {
  assert.equal(beginningOf('00000000-0000-4000-8000-000000000000'), 0);
  assert.equal(beginningOf('7fffffff-0000-4000-8000-000000000000'), 0x7fffffff);
  assert.equal(beginningOf('ffffffff-0000-4000-8000-000000000000'), -1);
  assert.equal(beginningOf('12ab34cd-0000-4000-8000-000000000000'), 0x12ab34cd);
});
