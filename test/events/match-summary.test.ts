import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretHash } from '#platform/crypto/secrets.ts';
import fc from 'fast-check';
import { prepareItem } from '#events/ingest/prepare.ts';
import { readEvent, type DataOf } from '#events/schema/index.ts';
import { countersOf, groupOf } from '#store/game/statistics-groups.ts';
import { type MatchSummary, summariseMatch, pseudonymiseMatch, matchUuids } from '#events/schema/match-summary.ts';
import { BEGINNING, match, person } from '#test/support/builders.ts';

type Finished = DataOf<'match.finished'>;

const PEOPLE = 8;
const GAMEMODES = ['bowspleef', 'cp', 'KOTH', 'ctw', 'dtm', 'paintball', 'splatt', 'tdm'];

const counts = fc.record({
  score: fc.integer({ min: -9, max: 9 }),
  kill_count: fc.nat(9),
  death_count: fc.nat(9),
  shot_count: fc.nat(9),
  hit_count: fc.nat(9),
  paint_count: fc.nat(9),
  time_played: fc.nat(9),
});
const objective = fc
  .tuple(
    fc.option(fc.nat(PEOPLE + 2)),
    fc.constantFrom('wool', 'core', 'destroyable', 'flag', 'control_point', 'other'),
  )
  .map(([number, type]) => ({
    player: number === null ? null : person(number),
    team: 'Red',
    type: type as 'wool',
    name: '"x"',
    time: BEGINNING,
  }));

/** Matches in which each player is in one of three teams or in none; some teams state their own totals. */
const finished: fc.Arbitrary<Finished> = fc
  .record({
    gamemode: fc.constantFrom(...GAMEMODES),
    win: fc.constantFrom('', 'Red', 'Blue'),
    sides: fc.array(fc.tuple(fc.nat(3), counts), { minLength: PEOPLE, maxLength: PEOPLE }),
    totals: fc.array(fc.record({ score: fc.nat(99), kill_count: fc.nat(99) }, { requiredKeys: [] }), {
      minLength: 3,
      maxLength: 3,
    }),
    objectives: fc.array(objective, { maxLength: 5 }),
    kills: fc.array(fc.tuple(fc.option(fc.nat(PEOPLE - 1)), fc.nat(PEOPLE - 1)), { maxLength: 4 }),
  })
  .map(({ gamemode, win, sides, totals, objectives, kills }) => {
    const on = (side: number) => sides.flatMap(([of, done], n) => (of === side ? [{ ...person(n), ...done }] : []));
    const playing = (number: number): boolean => sides[number]![0] < 3;
    return finishedOf({
      gamemode,
      win,
      teams: ['Red', 'Blue', 'Green'].map((name, side) => ({ name, ...totals[side], players: on(side) })),
      objectives,
      kills: kills
        .filter(([by, of]) => (by === null || playing(by)) && playing(of))
        .map(([by, of]) => ({
          killer: by === null ? null : person(by).uuid,
          victim: person(of).uuid,
          ...(of % 2 === 0 && { location: { x: 1, y: -2.5, z: of } }),
          time: BEGINNING,
        })),
    });
  });

function finishedOf(data: Parameters<typeof match>[0]): Finished {
  const read = readEvent(match(data));
  assert.ok('event' in read, JSON.stringify(read));
  return read.event.data as Finished;
}

test('a match summary has the results and counters of each player', () => {
  fc.assert(
    fc.property(finished, (received) => {
      const summary = summariseMatch(received);
      const played = received.teams.flatMap(({ name, players }, number) =>
        players.map((player) => ({ ...player, team: name, number })),
      );
      const group = groupOf(received.gamemode);
      assert.deepEqual(
        summary.players,
        played.map((player) => {
          const result = received.win === '' ? 'draw' : received.win === player.team ? 'win' : 'lose';
          const { uuid, name, number, score, kill_count, death_count, time_played } = player;
          const sums = countersOf(group).map((counter) => addedTo(counter, received, player, result));
          const envdeaths = addedTo('envdeath', received, player, result);
          return [uuid, name, result, score, kill_count, death_count, time_played, envdeaths, number, sums];
        }),
      );
      const known = new Set(played.map(({ uuid }) => uuid));
      const others = received.objectives.flatMap(({ player }) =>
        player === null || known.has(player.uuid) ? [] : player,
      );
      assert.deepEqual(new Map(summary.scorers), new Map(others.map(({ uuid, name }) => [uuid, name])));
      assert.deepEqual(new Set(matchUuids(summary)), new Set([...known, ...others.map(({ uuid }) => uuid)]));
      const named = new Map(played.map(({ uuid, name }) => [uuid, name]));
      assert.deepEqual(
        summary.kills,
        received.kills.map(({ killer, victim, location, time }) => [
          ...[killer, killer === null ? '' : named.get(killer), victim, named.get(victim), time],
          location === undefined ? null : `{"world":"","x":1,"y":-2.5,"z":${location.z}}`,
        ]),
      );
      assert.deepEqual(
        summary.completed,
        received.objectives.flatMap(({ player, type, name, color, team, time }, number) =>
          player !== null && ['wool', 'core', 'destroyable'].includes(type)
            ? [[player.uuid, type, number, name, color, team, 100, time]]
            : [],
        ),
      );
    }),
  );
});

type PlayedBy = Finished['teams'][number]['players'][number];

/** The amount that a match adds to one counter of a player. */
function addedTo(counter: string, received: Finished, player: PlayedBy, result: string): number {
  const done = received.objectives.filter((objective) => objective.player?.uuid === player.uuid);
  if (counter === 'win' || counter === 'lose') return result === counter ? 1 : 0;
  if (counter === 'play') return 1;
  if (counter === 'objective') return done.length;
  if (counter === 'envdeath')
    return received.kills.filter(({ killer, victim }) => killer === null && victim === player.uuid).length;
  if (['wool', 'core', 'destroyable', 'flag'].includes(counter))
    return done.filter(({ type }) => type === counter).length;
  const plain = {
    kill: 'kill_count',
    death: 'death_count',
    shot: 'shot_count',
    hit: 'hit_count',
    paint: 'paint_count',
  };
  const name = { ...plain, time: 'time_played', score: 'score' }[counter];
  return player[name as 'score'];
}

type Summed = 'score' | 'kill_count' | 'death_count';

test('a team has its stated totals, or the sums of its players; the match has the sums of its teams', () => {
  fc.assert(
    fc.property(finished, (received) => {
      const summary = summariseMatch(received);
      const teams = JSON.parse(summary.teams) as Record<Summed, number>[];
      received.teams.forEach((team, place) => {
        const sum = (what: Summed): number => team.players.reduce((total, one) => total + one[what], 0);
        for (const what of ['score', 'kill_count', 'death_count'] as const)
          assert.equal(teams[place]![what], team[what] ?? sum(what));
      });
      for (const what of ['kill_count', 'death_count'] as const)
        assert.equal(
          summary.facts[what],
          teams.reduce((total, team) => total + team[what], 0),
        );
      assert.deepEqual(JSON.parse(summary.objectives), received.objectives);
    }),
  );
});

test('applying pseudonyms to a summary equals summarising the match with pseudonyms', () => {
  fc.assert(
    fc.property(finished, fc.uniqueArray(fc.nat(PEOPLE + 2)), (received, hidden) => {
      const pseudonyms = new Map(
        hidden.map((number) => [person(number).uuid, person(100 + number, `deleted-${number}`)]),
      );
      const expected = summariseMatch(renamed(received, pseudonyms) as Finished);
      const found: MatchSummary = pseudonymiseMatch(summariseMatch(received), pseudonyms);
      assert.deepEqual(found, expected);
    }),
  );
});

/** Replaces players by pseudonyms anywhere in a value. */
function renamed(value: unknown, pseudonyms: ReadonlyMap<string, { uuid: string; name: string }>): unknown {
  if (typeof value === 'string') return pseudonyms.get(value)?.uuid ?? value;
  if (Array.isArray(value)) return value.map((one) => renamed(one, pseudonyms));
  if (typeof value !== 'object' || value === null) return value;
  const other = 'uuid' in value ? pseudonyms.get(String(value.uuid)) : undefined;
  const entries = Object.entries(value).map(([name, one]) => [name, renamed(one, pseudonyms)]);
  return { ...Object.fromEntries(entries), ...(other === undefined ? {} : { name: other.name }) };
}

test('a checked match is summarised, and the ledger stores its data as sent', () => {
  const received = match({ teams: [{ name: 'Red', players: [person(1)] }] });
  const { checked } = prepareItem({ input: received }, { kind: 'operator' }, Date.parse(BEGINNING), secretHash);
  assert.ok('event' in checked && checked.event.type === 'match.finished');
  assert.equal(checked.raw, JSON.stringify(received.data));
  assert.equal(checked.event.data.players.length, 1);
});
