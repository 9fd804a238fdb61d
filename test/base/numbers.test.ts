import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NumbersOf, textOfNumbers } from '#base/numbers.ts';

const MOST = 2 ** 52;
const whole = fc.oneof(fc.integer(), fc.integer({ min: -300, max: 300 }), fc.maxSafeInteger().filter(isIn));

function isIn(number: number): boolean {
  return Math.abs(number) <= MOST;
}

function comeBack(numbers: number[]): void {
  const text = textOfNumbers(numbers);
  // oxlint-disable-next-line no-control-regex -- every character up to U+00FF
  assert.match(text, /^[\u0000-\u00ff]*$/);
  const reader = new NumbersOf(text);
  assert.deepEqual(
    numbers.map(() => reader.next()),
    numbers,
  );
}

test('whole numbers come back out of their text, in order', () => {
  comeBack([0, 1, -1, 63, -64, 64, -65, 127, 128, 8191, 8192, 2 ** 31, -(2 ** 31), 1e9, -1e9, MOST, -MOST]);
  fc.assert(fc.property(fc.array(whole, { maxLength: 3_000 }), comeBack), { numRuns: 300 });
});

test('a small number takes one character', () => {
  assert.equal(textOfNumbers([0, 63, -64]).length, 3);
  assert.equal(textOfNumbers([64]).length, 2);
});
