import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { timestampsIn } from '#http/timestamps.ts';

const ZONES = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/St_Johns'],
  ...['Australia/Lord_Howe', 'Pacific/Chatham', 'Pacific/Kiritimati', 'Pacific/Apia', 'Africa/Casablanca'],
  ...['Africa/Monrovia', 'America/Caracas', 'Antarctica/Troll', 'Asia/Pyongyang', '+09:00', '-03:30', 'Etc/GMT+12'],
];
const SHAPE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/;
const write = new Map(ZONES.map((zone) => [zone, timestampsIn(zone)]));

const at = (zone: string, timestamp: string): string => timestampsIn(zone)(Date.parse(timestamp));

/** The offset according to `Temporal`, truncated to minutes. */
function offsetOf(zone: string, ms: number): string {
  const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  const minutes = Math.trunc(Math.abs(offsetNanoseconds) / 60e9);
  const [hours, rest] = [Math.trunc(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${offsetNanoseconds < 0 ? '-' : '+'}${hours}:${rest}`;
}

test('a timestamp has three fractional digits and the offset of its time zone', () => {
  assert.equal(at('UTC', '2026-01-31T12:34:56.789Z'), '2026-01-31T12:34:56.789+00:00');
  assert.equal(at('Asia/Tokyo', '2026-01-31T03:34:56.7Z'), '2026-01-31T12:34:56.700+09:00');
  assert.equal(at('Asia/Kathmandu', '2026-01-31T18:15:00Z'), '2026-02-01T00:00:00.000+05:45');
  assert.equal(at('America/St_Johns', '2026-01-01T00:00:00Z'), '2025-12-31T20:30:00.000-03:30');
  assert.equal(at('Europe/Berlin', '2026-03-29T00:59:59.999Z'), '2026-03-29T01:59:59.999+01:00');
  assert.equal(at('Europe/Berlin', '2026-03-29T01:00:00Z'), '2026-03-29T03:00:00.000+02:00');
  assert.equal(at('Europe/Berlin', '2026-10-25T00:59:59.999Z'), '2026-10-25T02:59:59.999+02:00');
  assert.equal(at('Europe/Berlin', '2026-10-25T01:00:00Z'), '2026-10-25T02:00:00.000+01:00');
  assert.equal(at('Australia/Lord_Howe', '2026-04-04T15:00:00Z'), '2026-04-05T01:30:00.000+10:30');
  assert.equal(at('UTC', '1970-01-01T00:00:00Z'), '1970-01-01T00:00:00.000+00:00');
  assert.equal(at('America/New_York', '1970-01-01T00:00:00Z'), '1969-12-31T19:00:00.000-05:00');
});

test('in any time zone a timestamp denotes the same instant, with the offset valid at that time', () => {
  const timestamp = fc.integer({ min: Date.parse('1973-01-01'), max: Date.parse('2100-01-01') });
  const nearChange = fc
    .tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: -2, max: 2 }))
    .map(([week, step]) => Date.parse('2015-01-04T01:00:00Z') + week * 604_800_000 + step);
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), fc.oneof(timestamp, nearChange), (zone, ms) => {
      const text = write.get(zone)!(ms);
      assert.match(text, SHAPE);
      assert.equal(Date.parse(text), ms, text);
      assert.equal(text.slice(23), offsetOf(zone, ms), `${zone} ${ms}`);
    }),
    { numRuns: 2_000 },
  );
});

test('an offset with seconds is truncated to minutes', () => {
  const text = timestampsIn('Africa/Monrovia')(Date.parse('1971-06-01T00:00:00Z'));
  assert.equal(text, '1971-05-31T23:16:00.000-00:44');
});
