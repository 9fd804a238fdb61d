import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batcher, type Pending } from '#platform/streams/turns.ts';

/** A `run` that notes its batches and ends them one by one. */
function runs() {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const run = async (batch: readonly Pending<string, string>[]): Promise<void> => {
    batches.push(batch.map(({ item }) => item));
    await new Promise<void>((resolve) => ends.push(resolve));
    for (const { item, resolve } of batch) resolve(item.toUpperCase());
  };
  const end = async (): Promise<void> => {
    while (ends.length === 0) await new Promise(setImmediate);
    ends.shift()!();
  };
  return { batches, run, end };
}

test('items of one turn are a batch, and those that arrive while it runs the next ones', async () => {
  const { batches, run, end } = runs();
  const { add, idle } = batcher({ run, choose: (waiting) => waiting.slice(0, 2) });
  const first = ['a', 'b'].map(add);
  const started = Promise.all(first);
  while (batches.length === 0) await new Promise(setImmediate);
  const later = Promise.all(['c', 'd', 'e'].map(add));
  await end();
  assert.deepEqual(await started, ['A', 'B']);
  await end();
  await end();
  assert.deepEqual(await later, ['C', 'D', 'E']);
  assert.deepEqual(batches, [['a', 'b'], ['c', 'd'], ['e']]);
  await idle();
});

test('each key has its own batches', async () => {
  const { batches, run, end } = runs();
  const { add, idle } = batcher({ run, key: (item) => item[0]! });
  const added = Promise.all(['a1', 'b1', 'a2'].map(add));
  while (batches.length < 2) await new Promise(setImmediate);
  await Promise.all([end(), end()]);
  assert.deepEqual(await added, ['A1', 'B1', 'A2']);
  assert.deepEqual(batches, [['a1', 'a2'], ['b1']]);
  await idle();
});

test('a batch that throws fails its unsettled items and no others', async () => {
  const { add, idle } = batcher<string, string>({
    choose: (waiting) => waiting.slice(0, 2),
    async run(batch) {
      if (batch[0]!.item === 'c') return batch[0]!.resolve('C');
      batch[0]!.resolve('A');
      throw new Error('away');
    },
  });
  const [a, b, c] = ['a', 'b', 'c'].map(add);
  await assert.rejects(b!, /away/);
  assert.deepEqual(await Promise.all([a, c]), ['A', 'C']);
  await idle();
});

test('a run that throws before its first wait fails its items and no others', async () => {
  const { add, idle } = batcher<string, string>({
    choose: (waiting) => waiting.slice(0, 1),
    run: ([only]) => {
      if (only!.item === 'a') throw new Error('away');
      only!.resolve('B');
      return Promise.resolve();
    },
  });
  const [a, b] = ['a', 'b'].map(add);
  await assert.rejects(a!, /away/);
  assert.equal(await b, 'B');
  await idle();
});
