import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import { mapInTurns, nextTurn } from '#platform/streams/turns.ts';

test('of all that wait for a turn of the event loop one continues in each', async () => {
  const continued: number[] = [];
  const waiting = [1, 2, 3, 4].map((number) => nextTurn().then(() => void continued.push(number)));
  const seen: number[] = [];
  while (continued.length < 4) {
    await turn();
    seen.push(continued.length);
  }
  await Promise.all(waiting);
  assert.deepEqual(continued, [1, 2, 3, 4]);
  const most = Math.max(...seen.map((count, index) => count - (seen[index - 1] ?? 0)));
  assert.equal(most, 1, `continued so far, turn by turn: ${seen.join()}`);
});

const work = (ms: number) => (item: number) => {
  for (const end = performance.now() + ms; performance.now() < end;);
  return item;
};

const turnsDuring = async (count: number, ms: number): Promise<number> => {
  let turns = 0;
  const state = { isOver: false };
  const items = Array.from({ length: count }, (_, index) => index);
  const mapped = mapInTurns(items, work(ms)).finally(() => (state.isOver = true));
  while (!state.isOver) {
    await turn();
    turns++;
  }
  assert.deepEqual(await mapped, items);
  return turns;
};

test('long work on items gives turns in between, short work none, and both keep the order', async () => {
  assert.ok((await turnsDuring(10, 21)) >= 9);
  assert.equal(await turnsDuring(3, 0), 1);
});
