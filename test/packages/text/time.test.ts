import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { time } from '#admin/fields.ts';
import { timeFilter } from '#api/endpoint.ts';
import { timestamp } from '#events/schema/members.ts';
import { readDate } from '#importers/minecraft/date.ts';
import { readTime } from '#text/time.ts';
import { readUntil } from '#platform/text/until.ts';

const at = (day: string): number => Date.parse(`${day}T11:05:00Z`);

test('a time has an offset, and its day exists', () => {
  for (const [text, expected] of [
    ['2026-03-01T20:05:00.000+09:00', at('2026-03-01')],
    ['2026-03-01T11:05:00.000000000Z', at('2026-03-01')],
    ['2026-03-01T11:05Z', at('2026-03-01')],
    ['2026-02-28t11:05:00z', at('2026-02-28')],
    ['2024-02-29T11:05:00Z', at('2024-02-29')],
    ['2000-02-29T07:35:00-03:30', at('2000-02-29')],
    ['2026-04-30T11:05:00Z', at('2026-04-30')],
  ] as const)
    assert.equal(readTime(text), expected, text);
  for (const text of [
    ...['', 'yesterday', '2026-03-01', '2026-03-01T11:05:00', '1772366400', '2026-03-01 11:05:00Z'],
    ...['2026-02-30T11:05:00Z', '2026-02-29T11:05:00Z', '1900-02-29T11:05:00Z', '2026-04-31T11:05:00Z'],
    ...['2026-00-01T11:05:00Z', '2026-13-01T11:05:00Z', '2026-03-00T11:05:00Z', '2026-03-32T11:05:00Z'],
    ...['2026-03-01T24:00:00Z', '2026-03-01T11:60:00Z', '2026-03-01T11:05:60Z', '2026-03-01T11:05:00+24:00'],
    ...['2026-03-01T11:05:00+09:60', '2026-03-01T11:05:00.Z', '+02026-03-01T11:05:00Z', ' 2026-03-01T11:05:00Z'],
  ])
    assert.equal(readTime(text), undefined, text);
  fc.assert(
    fc.property(fc.date({ min: new Date(0), noInvalidDate: true, max: new Date('9999-12-31T23:59:59Z') }), (date) =>
      assert.equal(readTime(date.toISOString()), date.getTime()),
    ),
  );
});

test('parameters, events, commands and files read times alike', () => {
  const readers = [
    (text: string) => timeFilter('').safeParse(text).data,
    (text: string) => timestamp.safeParse(text).data,
    (text: string) => time.safeParse(text).data,
    (text: string) => readUntil(text, 0) ?? undefined,
    (text: string) => readDate(text.replace('T', ' ').replace('Z', ' Z')),
  ];
  for (const read of readers) {
    assert.equal(read('2026-02-28T23:00:00Z'), Date.UTC(2026, 1, 28, 23), String(read));
    for (const day of ['2026-02-29', '2026-06-31']) assert.equal(read(`${day}T23:00:00Z`), undefined, String(read));
  }
});
