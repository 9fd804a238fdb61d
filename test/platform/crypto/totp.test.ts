import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchingSteps, totpCode, totpStep } from '#platform/crypto/totp.ts';

/** RFC 6238, appendix B: the secret of the vectors of SHA-1. */
const SECRET = Buffer.from('12345678901234567890').toString('hex');

test('codes are those of the vectors of RFC 6238 for SHA-1', () => {
  const vectors: [number, string][] = [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ];
  for (const [seconds, code] of vectors) {
    assert.equal(totpCode(SECRET, totpStep(seconds * 1000), 8), code);
    assert.equal(totpCode(SECRET, totpStep(seconds * 1000)), code.slice(2));
  }
});

test('a code counts in its step of 30 seconds, the one before and the one after', () => {
  const step = 100;
  const code = totpCode(SECRET, step);
  const counts = (ms: number): boolean => matchingSteps(SECRET, code, ms).includes(step);
  const [start, end] = [step * 30_000, (step + 1) * 30_000];
  assert.deepEqual([start - 30_001, start - 30_000, end + 29_999, end + 30_000].map(counts), [
    false,
    true,
    true,
    false,
  ]);
});
