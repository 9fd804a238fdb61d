import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { boundOf, idOf, keyOf } from '#platform/ids.ts';
import { character } from '#test/support/characters.ts';

const LAST = Number.MAX_SAFE_INTEGER;
const key = fc.oneof(
  fc.maxSafeNat(),
  fc.nat(100),
  fc.nat(100).map((below) => LAST - below),
  fc.nat(52).map((n) => 2 ** n),
);

test('ids are eleven characters and sort like their keys', () => {
  assert.equal(idOf(0), '00000000000');
  assert.equal(idOf(31), '0000000000z');
  assert.equal(idOf(32), '00000000010');
  assert.equal(idOf(LAST), '7zzzzzzzzzz');
  fc.assert(
    fc.property(key, key, (a, b) => {
      assert.match(idOf(a), /^[0-9a-hjkmnp-tv-z]{11}$/);
      assert.equal(Math.sign(a - b), idOf(a) < idOf(b) ? -1 : idOf(a) > idOf(b) ? 1 : 0);
    }),
  );
});

test('an id decodes to its key; other text is refused', () => {
  fc.assert(fc.property(key, (number) => assert.equal(keyOf(idOf(number)), number)));
  const strangers = ['', '0', '0000000000', '000000000000', '0000000000i', '0000000000l', '0000000000O', '0000000000A'];
  for (const text of [
    ...strangers,
    '8zzzzzzzzzz',
    'zzzzzzzzzzz',
    '80000000000',
    '0000000000\0',
    '٠٠٠٠٠٠٠٠٠٠٠',
    '🎮🎮🎮🎮🎮',
  ])
    assert.equal(keyOf(text), undefined, text);
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 12 }), (text) => {
      const found = keyOf(text);
      if (found !== undefined) assert.equal(idOf(found), text);
    }),
  );
});

test('comparing a key with the bound of any text equals comparing its id with the text', () => {
  const close = fc
    .tuple(key, fc.nat(12), fc.string({ unit: character, maxLength: 3 }))
    .map(([number, length, end]) => idOf(number).slice(0, length) + end);
  const text = fc.oneof(
    close,
    fc.string({ unit: character, maxLength: 14 }),
    key.map(idOf),
    fc.string({ maxLength: 64 }),
  );
  const spread = fc.tuple(text, key).map(([bound, number]) => ({ bound, number }));
  fc.assert(
    fc.property(spread, fc.integer({ min: -2, max: 2 }), ({ bound, number }, step) => {
      for (const candidate of [number, boundOf(bound) + step])
        if (candidate >= 0 && candidate < LAST)
          assert.equal(candidate < boundOf(bound), idOf(candidate) < bound, `${candidate} ${JSON.stringify(bound)}`);
    }),
    { numRuns: 3_000 },
  );
});
