import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gathered } from '#db/gather.ts';

test('look-ups of one moment travel together, so many at once, and each gets its own answer', async () => {
  const journeys: number[][] = [];
  const find = gathered(async (numbers: readonly number[]) => {
    journeys.push([...numbers]);
    return numbers.map((number) => number * 10);
  });
  const wanted = Array.from({ length: 40 }, (_, number) => number);
  assert.deepEqual(
    await Promise.all(wanted.map(find)),
    wanted.map((number) => number * 10),
  );
  assert.deepEqual(
    journeys.map(({ length }) => length),
    [16, 16, 8],
  );
  assert.equal(await find(7), 70);
  assert.deepEqual(journeys.at(-1), [7]);
});

test('a journey that fails fails those that are on it, and nobody else', async () => {
  let journeys = 0;
  const find = gathered(async (numbers: readonly number[]) => {
    if (++journeys === 1) throw new Error('lost');
    return numbers;
  });
  const first = Array.from({ length: 16 }, (_, number) => find(number));
  const second = find(16);
  assert.deepEqual([...new Set((await Promise.allSettled(first)).map(({ status }) => status))], ['rejected']);
  assert.equal(await second, 16);
  assert.equal(await find(17), 17);
});
