import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { containsAddress, withoutAddresses } from '#text/text.ts';

const ADDRESSES = [
  ...['https://evil.example/x', 'Win at evil.example now', 'WWW.EVIL.EXAMPLE', 'evil.example', 'a.co', 'www. evil'],
  ...[
    'mail me@evil.example',
    'me＠evil',
    'evil。example',
    'ｅｖｉｌ．ｅｘａｍｐｌｅ',
    'evil｡jp',
    'http : // evil',
    'xn--a.xn--p1ai',
  ],
  ...['1.2.3.4', 'play on 10.0.0.1:25565', 'mailto:me', 'münchen.de', 'пример.рф', '例え.jp'],
];
const NAMES = [
  ...[
    'Board',
    'Dr. Who',
    'Stats v1.5',
    'Version 2.0.1',
    'Wait...',
    'A/B',
    'Red vs. Blue',
    '戦績 ボード',
    'C: the game',
  ],
  ...['Steve_12', '.Bedrock', 'Map #3: Airship', 'R.I.P', 'Ann & Bob', 'data', 'www'],
];

test('names with an address are recognised, and become text that nobody can click', () => {
  for (const text of ADDRESSES) {
    assert.equal(containsAddress(text), true, text);
    assert.equal(containsAddress(withoutAddresses(text)), false, withoutAddresses(text));
  }
  assert.equal(withoutAddresses('Win at https://evil.example now'), 'Win at https evil example now');
  for (const text of NAMES) {
    assert.equal(containsAddress(text), false, text);
    assert.equal(withoutAddresses(text), text);
  }
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => !containsAddress(withoutAddresses(text))));
});
