import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newSecret, sameText, secretHash } from '#platform/crypto/secrets.ts';
import { character } from '#test/support/characters.ts';
import { TURNING } from '#test/support/hostile.ts';
import { isCleanText, isShownText, nameKey, uuidOf } from '#text/text.ts';

test('a UUID is accepted in any case, with or without dashes, and normalised to one form', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      for (const form of [uuid, uuid.toUpperCase(), uuid.replaceAll('-', ''), uuid.replaceAll('-', '').toUpperCase()])
        assert.equal(uuidOf(form), uuid);
    }),
  );
  const uuid = '00000000-0000-4000-8000-000000000001';
  const wrong = [
    '',
    uuid.slice(1),
    `${uuid}0`,
    `{${uuid}}`,
    ` ${uuid}`,
    `${uuid}\n`,
    uuid.replace('-', ''),
    uuid.replace('0', 'g'),
  ];
  for (const text of [
    ...wrong,
    `urn:uuid:${uuid}`,
    '0000-00000000-4000-8000-000000000001',
    '-'.repeat(36),
    '٠'.repeat(32),
  ])
    assert.equal(uuidOf(text), undefined, text);
});

test('names that differ only in case or Unicode composition are equal', () => {
  assert.equal(nameKey('Ärger'), nameKey('A\u0308RGER'));
  assert.equal(nameKey('Twin Peaks'), 'twin peaks');
  assert.notEqual(nameKey('a'), nameKey('á'));
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => assert.equal(nameKey(nameKey(name)), nameKey(name))),
  );
});

test('clean text has no control characters and no lone surrogates', () => {
  for (const text of ['', 'x', ' ', '🎮', '\u00a0', '\u2028', '\u202e', 'é'])
    assert.ok(isCleanText(text), JSON.stringify(text));
  for (const text of ['\0', 'a\n', '\t', '\x1f', '\x7f', '\x80', '\x85', '\x9f', '\ud800', 'a\udc00b']) {
    assert.ok(!isCleanText(text), JSON.stringify(text));
    assert.ok(!isShownText(text), JSON.stringify(text));
  }
});

test('displayable text cannot reorder the text after it; every script is allowed', () => {
  const legal = [
    '山田 太郎',
    'ひらがな・カタカナー',
    '한국어',
    'مرحبا\u200f',
    '\u200eאבג',
    'नमस्ते',
    'Ünïcødé’s “x”',
    '👩‍👩‍👧‍👦',
    '§aRed',
    '\u061c',
  ];
  for (const text of legal) assert.ok(isShownText(text), JSON.stringify(text));
  for (const text of TURNING) assert.ok(!isShownText(`Red${text}Team`), JSON.stringify(text));
  fc.assert(
    fc.property(fc.string({ unit: character }), (text) => {
      const reorders = /\p{Cc}|\p{Cs}|[\u202a-\u202e\u2066-\u2069]/u.test(text);
      assert.equal(isShownText(text), !reorders);
    }),
  );
});

test('secrets are long and unique, and their hashes do not contain them', () => {
  const secrets = Array.from({ length: 100 }, () => newSecret('shs_'));
  assert.equal(new Set(secrets).size, 100);
  for (const secret of secrets) {
    assert.match(secret, /^shs_[\w-]{43}$/);
    assert.match(secretHash(secret), /^[\w-]{43}$/);
    assert.equal(secretHash(secret), secretHash(secret));
    assert.ok(!secretHash(secret).includes(secret.slice(4, 20)));
  }
  assert.match(newSecret(), /^[\w-]{43}$/);
});

test('the constant-time comparison compares whole texts', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      assert.equal(sameText(a, b), a === b);
      assert.ok(sameText(a, a));
      assert.ok(!sameText(a, `${a}x`));
    }),
  );
});
