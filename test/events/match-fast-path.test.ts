import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseBySchema } from '#events/schema.ts';
import { parseMatchFast } from '#events/match-fast-path.ts';
import { after, BEGINNING, match, person } from '#test/support/builders.ts';

/** Values that are valid in some places and invalid in most. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    0,
    -1,
    1,
    1.5,
    true,
    [],
    {},
    '\u0000',
    '\u0085',
    '\u202e',
    '\ud800',
    'x'.repeat(129),
  ),
  fc.constantFrom<unknown>(1_000_000_000, 1_000_000_001, -1_000_000_001, Number.NaN, 2 ** 53, '1'),
  fc.constantFrom<unknown>(
    BEGINNING,
    after(1000),
    '2026-02-30T00:00:00.000Z',
    '2026-03-01T12:00:00Z',
    '1960-01-01T00:00:00.000Z',
  ),
  fc.constantFrom<unknown>(
    person(1).uuid,
    person(2).uuid.toUpperCase(),
    person(3).uuid.replaceAll('-', ''),
    'wool',
    'Red',
  ),
);
const counts = fc.record(
  { score: fc.integer({ min: -5, max: 5 }), kill_count: fc.nat(9), time_played: fc.nat(99) },
  { requiredKeys: [] },
);
const own = fc.record(
  {
    counters: fc.dictionary(fc.constantFrom('wools', 'best_streak', 'x1', 'constructor'), fc.nat(9), { maxKeys: 3 }),
    primary: fc.boolean(),
  },
  { requiredKeys: [] },
);
const player = fc
  .tuple(fc.nat(6), counts, own)
  .map(([number, counted, others]) => ({ ...person(number), ...counted, ...others }));
const team = fc.record(
  {
    name: fc.constantFrom('Red', 'Blue', 'Green'),
    players: fc.array(player, { maxLength: 3 }),
    score: fc.nat(5),
    death_count: fc.nat(5),
    color: fc.constantFrom('red', '#00FF00'),
  },
  { requiredKeys: ['name', 'players'] },
);
const objective = fc.record(
  {
    player: fc.option(fc.nat(6).map((number) => person(number))),
    team: fc.constant('Red'),
    type: fc.constantFrom('wool', 'flag'),
    name: fc.constant('x'),
    color: fc.constant('red'),
    percent: fc.constantFrom(0, 33.3, 100),
    time: fc.constant(BEGINNING),
  },
  { requiredKeys: ['team', 'type', 'name', 'time'] },
);
const location = fc.record(
  { world: fc.constant('nether'), x: fc.constant(0.5), y: fc.constant(64), z: fc.constant(-7) },
  { requiredKeys: ['x', 'y', 'z'] },
);
const uuidOfSome = fc.nat(6).map((number) => person(number).uuid);
const kill = fc.record(
  { killer: fc.option(uuidOfSome), victim: uuidOfSome, location, time: fc.constant(BEGINNING) },
  { requiredKeys: ['victim', 'time'] },
);
const data = fc.record(
  {
    teams: fc.array(team, { maxLength: 3 }),
    objectives: fc.array(objective, { maxLength: 2 }),
    kills: fc.array(kill, { maxLength: 2 }),
    win: fc.constantFrom('', 'Red'),
    winners: fc.subarray(['Red', 'Blue']),
    ranked: fc.boolean(),
  },
  { requiredKeys: ['teams'] },
);

/** Replaces some part of a value, or adds or removes a member. */
function spoil(value: unknown, path: number[], by: unknown): unknown {
  if (typeof value !== 'object' || value === null) return by;
  const keys = [...Object.keys(value), 'extra'];
  const [step = 0, ...rest] = path;
  const key = keys[step % keys.length]!;
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
  const members = copy as Record<string, unknown>;
  if (rest.length === 0 && by === undefined) delete members[key];
  else members[key] = rest.length === 0 ? by : spoil(members[key], rest, by);
  return copy;
}

test('the fast path parses a match as the schema does', () => {
  fc.assert(
    fc.property(data, fc.option(fc.array(fc.nat(20), { minLength: 1, maxLength: 6 })), odd, (parts, path, by) => {
      const whole = JSON.parse(JSON.stringify(match(parts as Parameters<typeof match>[0]))) as unknown;
      const received = path === null ? whole : spoil(whole, path, by);
      const [fast, bySchema] = [parseMatchFast(received), parseBySchema(received)];
      if (fast === undefined)
        return assert.ok(path !== null || 'problems' in bySchema, 'a usual match takes the fast path');
      assert.ok('event' in bySchema, JSON.stringify({ received, bySchema }));
      assert.deepStrictEqual(fast, bySchema.event);
      assert.equal(JSON.stringify(fast), JSON.stringify(bySchema.event));
    }),
    { numRuns: 3_000 },
  );
});

const part = (most: number, length: number) =>
  fc.nat({ max: most }).map((number) => String(number).padStart(length, '0'));

test('the fast path accepts the same timestamps as the schema', () => {
  const year = fc.constantFrom('0000', '0099', '1969', '1970', '1999', '2000', '2023', '2024', '2100', '9998', '9999');
  const day = fc.constantFrom('00', '01', '28', '29', '30', '31', '32', '99');
  const timestamp = fc
    .tuple(year, part(13, 2), day, part(25, 2), part(61, 2), part(61, 2), part(999, 3))
    .map(
      ([year, month, day, hour, minute, second, ms]) => `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`,
    );
  fc.assert(
    fc.property(timestamp, (time) => {
      const received = { ...(match({ teams: [] }) as object), time };
      const [fast, bySchema] = [parseMatchFast(received), parseBySchema(received)];
      if (fast !== undefined) assert.deepEqual({ event: fast }, bySchema);
      else assert.ok('problems' in bySchema || time.startsWith('9999'), time);
    }),
    { numRuns: 3_000 },
  );
});

test('a wrong character at any place of a UUID is found', () => {
  const characters = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), '\u00e9', '\u0130', '０'];
  const { uuid, name } = person(1);
  const received = (changed: string): unknown =>
    match({ teams: [{ name: 'Red', players: [{ uuid: changed, name }] }] });
  for (let place = 0; place < uuid.length; place++) {
    for (const character of characters) {
      const changed = uuid.slice(0, place) + character + uuid.slice(place + 1);
      const isOne = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(changed);
      assert.equal(parseMatchFast(received(changed)) !== undefined, isOne, JSON.stringify(changed));
    }
  }
});
