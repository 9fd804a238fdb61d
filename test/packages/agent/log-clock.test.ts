import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endingAt, following, isOtherZone, type LogTime, millisecondsOf } from '#agent/log-clock.ts';

const seconds = (clock: string): number => Date.parse(`1970-01-01T${clock}Z`) / 1000;

/** Nothing here is asynchronous, so no other test sees the zone. */
function inZone(zone: string, run: () => void): void {
  const { TZ } = process.env;
  process.env['TZ'] = zone;
  try {
    run();
  } finally {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  }
}

/** Whether a line with this clock looks like one of another zone than Berlin, in a file of this time. */
const isOther = (clock: string, written: string): boolean => isOtherZone(seconds(clock), Date.parse(written));

test('a clock is of another zone where it differs by quarters of an hour, but not around midnight or summer time', () => {
  inZone('Europe/Berlin', () => {
    assert.ok(isOther('10:00:00', '2026-03-01T10:00:01Z'), 'UTC');
    assert.ok(isOther('04:00:00', '2026-03-01T10:00:00Z'), 'to the west');
    assert.ok(isOther('00:45:00', '2026-03-01T18:59:59Z'), 'to the east, on the next day');
    assert.ok(!isOther('11:00:00', '2026-03-01T10:00:01Z'));
    assert.ok(!isOther('11:00:00', '2026-03-01T10:07:00Z'), 'no difference between zones');
    assert.ok(!isOther('00:00:00', '2026-03-01T22:59:59.997Z'), 'a file a little earlier than its line, at midnight');
    assert.ok(!isOther('23:59:59', '2026-03-01T23:00:02Z'), 'a file a little later than its line, at midnight');
    assert.ok(!isOther('02:30:00', '2026-10-25T00:30:00Z'), 'the first 2:30 of the day on which summer time ends');
    assert.ok(!isOther('02:30:00', '2026-10-25T01:30:00Z'), 'the second one');
    assert.ok(!isOther('03:00:00', '2026-03-29T01:00:00Z'), 'the hour that summer time leaves out');
  });
});

/** The dates of two lines around midnight, in a file of this time. */
const datesAround = (written: string): string[] =>
  endingAt([seconds('23:59:58'), 1], Date.parse(written)).map(({ date }) => date);

test('the last line is of the day of the file, also where the file is a little earlier', () => {
  inZone('Europe/Berlin', () => {
    assert.deepEqual(datesAround('2026-03-01T23:00:01Z'), ['2026-03-01', '2026-03-02']);
    assert.deepEqual(datesAround('2026-03-01T22:59:59.997Z'), ['2026-03-01', '2026-03-02']);
  });
});

const utc = (times: readonly LogTime[]): string[] =>
  times.map((time) => new Date(millisecondsOf(time)).toISOString().slice(11, 19));

const ending = (clocks: readonly string[], written: string): string[] =>
  utc(endingAt(clocks.map(seconds), Date.parse(written)));
const forwards = (...clocks: string[]): string[] => {
  let time: LogTime = { date: '2026-10-25', seconds: seconds(clocks[0]!) };
  return utc(clocks.map((clock) => (time = following(time, seconds(clock)))));
};

test('the hour that is repeated when summer time ends has two passes', () => {
  inZone('Europe/Berlin', () => {
    const clocks = ['01:59:00', '02:10:00', '02:59:59', '02:00:00', '02:30:00', '03:00:00'];
    const both = ['23:59:00', '00:10:00', '00:59:59', '01:00:00', '01:30:00', '02:00:00'];
    assert.deepEqual(forwards(...clocks), both);
    assert.deepEqual(ending(clocks, '2026-10-25T02:00:00Z'), both);
    assert.deepEqual(ending(['02:30:00'], '2026-10-25T00:30:00Z'), ['00:30:00'], 'written in the first pass');
    assert.deepEqual(ending(['02:30:00'], '2026-10-25T01:30:00Z'), ['01:30:00'], 'written in the second pass');
    assert.deepEqual(ending(['02:40:00', '02:41:00'], '2026-10-25T01:41:00Z'), ['01:40:00', '01:41:00']);
    // Threads write a little out of order; further back the clock was set back.
    assert.deepEqual(forwards('02:30:40', '02:30:00'), ['00:30:40', '00:30:00']);
    assert.deepEqual(forwards('02:30:40', '02:29:30'), ['00:30:40', '01:29:30']);
    assert.deepEqual(forwards('02:30:00', '02:10:00', '02:40:00', '02:39:50'), [
      '00:30:00',
      '01:10:00',
      '01:40:00',
      '01:39:50',
    ]);
    assert.deepEqual(forwards('04:00:00', '02:30:00'), ['03:00:00', '01:30:00'], 'a clock that was wrong');
  });
  inZone('Australia/Lord_Howe', () => {
    // By half an hour.
    assert.deepEqual(ending(['01:50:00', '01:35:00'], '2026-04-04T15:05:00Z'), ['14:50:00', '15:05:00']);
  });
  inZone('UTC', () =>
    assert.deepEqual(ending(['02:50:00', '02:10:00'], '2026-10-25T02:10:00Z'), ['02:50:00', '02:10:00']),
  );
});
