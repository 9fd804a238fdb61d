import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DAY, dayOf, dayStart, HOUR } from '#demo/network/calendar.ts';
import { Queue } from '#demo/network/event-queue.ts';
import { Random } from '#demo/network/random.ts';
import { hoursIn } from './sample.ts';

test('the same labels give the same numbers, different labels different ones', () => {
  assert.deepEqual(first('a', 'b'), first('a', 'b'));
  assert.notDeepEqual(first('a', 'b'), first('ab'));
  assert.notDeepEqual(first('a', 'b'), first('b', 'a'));
});

test('random numbers stay within their bounds and reach both ends', () => {
  const random = new Random('bounds');
  const drawn = Array.from({ length: 2000 }, () => random.int(1, 6));
  assert.deepEqual(new Set(drawn), new Set([1, 2, 3, 4, 5, 6]));
  assert.equal(random.weighted([0, 3, 0]), 1);
  const counts = Array.from({ length: 4000 }, () => random.count(3));
  assert.ok(Math.abs(counts.reduce((sum, count) => sum + count, 0) / counts.length - 3) < 0.15);
  assert.equal(random.count(0), 0);
});

test('a day of the network lasts from six to six in its time zone, also when clocks change', () => {
  const zones = fc.constantFrom('UTC', 'Europe/Amsterdam', 'America/New_York', 'Asia/Kolkata');
  fc.assert(
    fc.property(zones, fc.integer({ min: 20_000, max: 21_500 }), (zone, day) => {
      const start = dayStart(zone, day);
      assert.equal(hoursIn(zone)(start), 6);
      assert.equal(dayOf(zone, start), day);
      assert.equal(dayOf(zone, start - 1), day - 1);
      assert.ok(Math.abs(dayStart(zone, day + 1) - start - DAY) <= HOUR);
    }),
  );
});

const event = (id: string) =>
  ({ version: 1, id, type: 'punishment.revoked', time: '', data: { punishment: id } }) as const;

test('a queue yields events in the order of time, and of insertion at the same time', () => {
  const queue = new Queue([
    { time: 5, event: event('c') },
    { time: 1, event: event('a') },
  ]);
  queue.add({ time: 5, event: event('d') });
  queue.add({ time: 3, event: event('b') });
  assert.deepEqual(
    [...queue.until(4)].map(({ id }) => id),
    ['a', 'b'],
  );
  assert.deepEqual(
    [...queue.until(Infinity)].map(({ id }) => id),
    ['c', 'd'],
  );
  assert.deepEqual([...queue.until(Infinity)], []);
});

function first(...labels: string[]): number[] {
  const random = new Random(...labels);
  return Array.from({ length: 8 }, () => random.bits());
}
