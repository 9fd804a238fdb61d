import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Result } from '#bench/compare.ts';
import { belowFloor, floorsFrom, readFloors } from '#bench/floors.ts';

const result = (name: string, cpu_ratio: number, hasBaseline = true): Result => ({
  ...{ name, cpu_ratio, hasBaseline, ratio: cpu_ratio },
  ...{ requests_per_second: 1, p99_ms: 1, cpu_us: 1 },
});

test('a floor is 20 % below the median of the runs, and a result below it is reported', () => {
  const runs = [0.5, 0.9, 0.6].map((ratio) => [result('304', ratio), result('token check', ratio, false)]);
  const floors = floorsFrom(runs);
  assert.deepEqual(floors, { 304: 0.48 });
  assert.deepEqual(belowFloor([result('304', 0.48), result('other', 0.1)], floors), []);
  assert.deepEqual(belowFloor([result('304', 0.47)], floors), ['304: the CPU ratio is 0.470; its minimum is 0.48']);
});

test('both databases have floors', () => {
  for (const database of ['sqlite', 'postgres']) assert.ok(readFloors(database)['one match, random']! > 0);
});
