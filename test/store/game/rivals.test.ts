import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { exportEvents } from '#events/export.ts';
import { setCounted } from '#events/handlers/match-counting.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import type { DataOf } from '#events/schema/index.ts';
import { keyOf } from '#platform/ids.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { companions, RECENT_MATCHES } from '#store/game/rivals/recent-matches.ts';
import { projectRivals } from '#store/game/rivals/rival-projection.ts';
import { resetTables } from '#test/events/canonical-dump.ts';
import { clock } from '#test/events/ingest-history.ts';
import { configured, event, match, person, sendEvents } from '#test/support/builders.ts';
import { DIALECTS, twoDatabases } from '#test/support/context.ts';
import { finishJobs, retractEvents } from '#test/support/jobs.ts';

/**
 * Random histories of matches, withdrawals, exclusions, merges and erasures, between which the projection runs, compared with
 * a count of the exported events that shares nothing with the service.
 */

const PLAYERS = 6;
const who = fc.nat(PLAYERS - 1);
const played = fc.record({
  kind: fc.constant('match' as const),
  sides: fc.array(fc.integer({ min: -1, max: 2 }), { minLength: PLAYERS, maxLength: PLAYERS }),
  win: fc.integer({ min: -1, max: 2 }),
  kills: fc.array(fc.tuple(fc.option(who), who), { maxLength: 8 }),
  value: fc.nat(9),
});
const act = fc.oneof(
  { arbitrary: played, weight: 12 },
  { arbitrary: fc.record({ kind: fc.constant('count' as const) }), weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant('withdraw' as const), place: fc.nat(30) }), weight: 3 },
  { arbitrary: fc.record({ kind: fc.constant('exclude' as const), place: fc.nat(30) }), weight: 3 },
  { arbitrary: fc.record({ kind: fc.constant('merge' as const), from: who, into: who }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('erase' as const), who }), weight: 1 },
);
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;

const TEAMS = ['Red', 'Blue', 'Green'];

function playedEvent({ sides, win, kills, value }: typeof played extends fc.Arbitrary<infer A> ? A : never) {
  const teams = TEAMS.map((name, side) => ({
    name,
    players: sides.flatMap((own, number) =>
      own === side
        ? [{ ...person(number), kill_count: (value + number) % 7, score: value * number, time_played: value }]
        : [],
    ),
  }));
  const present = kills.filter(([killer, victim]) => sides[victim]! >= 0 && (killer === null || sides[killer]! >= 0));
  return match({
    ...{ teams, win: win < 0 ? '' : TEAMS[win]! },
    kills: present.map(([killer, victim]) => ({
      ...{ killer: killer === null ? null : person(killer).uuid, victim: person(victim).uuid },
      time: match().time,
    })),
  });
}

/** Carries acts out; refused ones change nothing. @returns the ids of the excluded matches */
async function carryOut(db: Db, acts: readonly Act[]): Promise<Set<string>> {
  await sendEvents({ db, clock }, configured('Alpha'));
  const matches: { id: string; key: number }[] = [];
  const excluded = new Set<string>();
  const chosen = (place: number) => (matches.length === 0 ? undefined : matches[place % matches.length]!);
  for (const one of acts) {
    clock.advance(1000);
    if (one.kind === 'match') {
      const sent = playedEvent(one);
      const [receipt] = await ingestEvents(db, clock, { kind: 'operator' }, [sent]);
      assert.equal(receipt!.status, 'accepted', JSON.stringify(receipt));
      matches.push({ id: sent.id, key: keyOf((receipt as { receipt: string }).receipt)! });
    } else if (one.kind === 'count') {
      while (await projectRivals(db));
    } else if (one.kind === 'withdraw') {
      const gone = chosen(one.place);
      if (gone === undefined) continue;
      matches.splice(matches.indexOf(gone), 1);
      await retractEvents(db, clock, [gone.key]);
    } else if (one.kind === 'exclude') {
      const target = chosen(one.place);
      if (target === undefined) continue;
      const isExcluded = excluded.has(target.id);
      assert.equal(await setCounted(db, clock, target.key, isExcluded), undefined);
      excluded[isExcluded ? 'delete' : 'add'](target.id);
    } else if (one.kind === 'merge') {
      const data = { from: person(one.from).uuid, into: person(one.into).uuid };
      if (one.from !== one.into) await ingestEvents(db, clock, { kind: 'operator' }, [event('player.merged', data)]);
    } else {
      await db.transaction((tx) => erasePlayer(tx, clock.now(), person(one.who).uuid));
    }
    await finishJobs(db);
  }
  while (await projectRivals(db));
  return excluded;
}

interface Counted {
  pairs: Map<string, number>;
  records: Map<string, Record<string, unknown>>;
  /** With whom and against whom each player played the newest matches. */
  sides: Map<string, Map<string, [play: number, win: number]>>;
}

/** Counts the exported events. */
async function expected(db: Db, excluded: ReadonlySet<string>): Promise<Counted> {
  const events = await Array.fromAsync(exportEvents(db));
  const into = new Map(
    events.flatMap((one) => (one.type === 'player.merged' ? [[one.data.from, one.data.into] as const] : [])),
  );
  const owner = (uuid: string): string => (into.has(uuid) ? owner(into.get(uuid)!) : uuid);
  const matches = events.flatMap((one) =>
    one.type === 'match.finished' && !excluded.has(one.id) ? [{ id: one.id, ...one.data }] : [],
  );
  const [pairs, byPlayer] = [new Map<string, number>(), new Map<string, Row[]>()];
  for (const { id, teams, win, kills = [] } of matches) {
    for (const { killer, victim } of kills) {
      if (killer === null || killer === undefined || owner(killer) === owner(victim)) continue;
      const pair = `${owner(killer)} ${owner(victim)}`;
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    }
    const rows = new Map<string, Row>();
    for (const [place, { name, players }] of teams.entries()) {
      const result = win === '' ? 'draw' : win === name ? 'win' : 'lose';
      for (const player of players) {
        const own = rows.get(owner(player.uuid));
        if (own === undefined) {
          rows.set(owner(player.uuid), { id, result, place, rows, ...amounts(player) });
          continue;
        }
        // One match of one person, in the team that won, else in the first.
        for (const [counter, value] of Object.entries(amounts(player))) own[counter as 'kill'] += value;
        if (result === 'win' && own.result !== 'win') Object.assign(own, { result, place });
      }
    }
    for (const [uuid, row] of rows) byPlayer.set(uuid, [...(byPlayer.get(uuid) ?? []), row]);
  }
  // A player into whom an erased one was merged has the pseudonym until the next own name.
  const erased = new Set((await db.tuples(sql`select uuid from players where name like 'deleted-%'`)).flat());
  return {
    pairs,
    records: new Map([...byPlayer].map(([uuid, rows]) => [uuid, recordsIn(rows)])),
    sides: new Map([...byPlayer].flatMap(([uuid, rows]) => sidesIn(uuid, rows, erased))),
  };
}

interface Row extends Record<'kill' | 'score' | 'time', number> {
  id: string;
  result: string;
  place: number;
  /** The rows of all players of the match. */
  rows: Map<string, Row>;
}

const amounts = ({ kill_count = 0, score = 0, time_played = 0 }: Partial<Played>) => ({
  ...{ kill: kill_count, score },
  time: time_played,
});
type Played = DataOf<'match.finished'>['teams'][number]['players'][number];

function recordsIn(rows: readonly Row[]): Record<string, unknown> {
  const letters = rows.map(({ result }) => result[0]!).join('');
  const longest = (letter: string): number =>
    Math.max(0, ...[...letters.matchAll(RegExp(`${letter}+`, 'g'))].map(([run]) => run.length));
  const [present] = /(.)\1*$/.exec(letters)!;
  const best = (['kill', 'score', 'time'] as const).flatMap((name) => {
    const most = Math.max(0, ...rows.map((row) => row[name]));
    return [
      [name, most],
      [`${name}_match`, most === 0 ? null : rows.find((row) => row[name] === most)!.id],
    ] as const;
  });
  return {
    streak: present.startsWith('w') ? present.length : present.startsWith('l') ? -present.length : 0,
    ...{ win_streak: longest('w'), lose_streak: longest('l') },
    ...Object.fromEntries(best),
  };
}

function sidesIn(
  uuid: string,
  rows: readonly Row[],
  erased: ReadonlySet<unknown>,
): [string, Map<string, [number, number]>][] {
  const sides = { teammates: new Map<string, [number, number]>(), opponents: new Map<string, [number, number]>() };
  for (const { result, place, rows: others } of rows.slice(-RECENT_MATCHES))
    for (const [other, row] of others) {
      const side = sides[row.place === place ? 'teammates' : 'opponents'];
      const [play, win] = side.get(other) ?? [0, 0];
      if (other !== uuid && !erased.has(other)) side.set(other, [play + 1, win + Number(result === 'win')]);
    }
  return Object.entries(sides).map(([side, all]) => [`${uuid} ${side}`, all]);
}

async function stored(db: Db): Promise<Counted> {
  const pairs = await db.tuples(sql`
    select k.uuid, v.uuid, c.kill from kill_pairs c join players k on k.key = c.killer_key join players v on v.key = c.victim_key`);
  const records = await db.all<Record<string, string | number | null>>(sql`
    select p.uuid, r.* from player_records r join players p on p.key = r.player_key`);
  const ids = new Map((await db.tuples(sql`select key, event_id from ledger`)) as [number, string][]);
  const players = (await db.tuples(sql`select key, uuid from players`)) as [number, string][];
  const sides: Counted['sides'] = new Map();
  for (const [player, uuid] of players)
    for (const side of ['teammates', 'opponents'] as const) {
      const found = await companions(db, side, { player, limit: 2 });
      for (let after = found.at(-1); after !== undefined;) {
        const page = await companions(db, side, { player, after: after.key, limit: 2 });
        found.push(...page);
        after = page.at(-1);
      }
      const values = found.map(({ play }) => play);
      assert.deepEqual(
        values,
        values.toSorted((a, b) => b - a),
      );
      sides.set(`${uuid} ${side}`, new Map(found.map(({ uuid: other, play, win }) => [other, [play, win]])));
    }
  return {
    pairs: new Map(pairs.map(([killer, victim, kill]) => [`${killer as string} ${victim as string}`, kill as number])),
    records: new Map(
      records.map(({ uuid, player_key: _, ...row }) => [
        uuid as string,
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            name.endsWith('_match') ? (ids.get(value as number) ?? null) : value,
          ]),
        ),
      ]),
    ),
    sides: new Map([...sides].filter(([, all]) => all.size > 0)),
  };
}

for (const dialect of DIALECTS) {
  test(`pairs, records and companions are those of the exported events (${dialect})`, async (t) => {
    const [db, copy] = await twoDatabases(t, dialect);
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 30 }), async (acts) => {
        for (const one of [db, copy]) {
          await resetTables(one);
          await one.runAll([sql`delete from pseudonyms`, sql`delete from player_aliases`]);
        }
        const excluded = await carryOut(db, acts);
        const wanted = await expected(db, excluded);
        const found = await stored(db);
        assert.deepEqual(found.pairs, wanted.pairs);
        assert.deepEqual(found.records, wanted.records);
        assert.deepEqual(found.sides, new Map([...wanted.sides].filter(([, all]) => all.size > 0)));
        if (excluded.size > 0) return;
        await ingestEvents(copy, clock, { kind: 'operator' }, await Array.fromAsync(exportEvents(db)));
        await finishJobs(copy);
        while (await projectRivals(copy));
        assert.deepEqual(await stored(copy), found, 'imported');
      }),
      { numRuns: dialect === 'sqlite' ? 40 : 10 },
    );
  });
}
