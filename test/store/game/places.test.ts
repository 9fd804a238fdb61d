import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { sql } from '#db/sql.ts';
import { setCounted } from '#events/handlers/match-counting.ts';
import { runJobs } from '#events/jobs/runner.ts';
import { keyOf } from '#platform/ids.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { NETWORK } from '#store/game/hidden-lists.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import {
  type LeaderboardMode,
  leaders,
  leadersAround,
  METRICS,
  placeOn,
  placesOfPlayer,
} from '#store/game/leaderboards/leaderboards.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { hasPseudonym, playerByUuid } from '#store/game/players.ts';
import { countRanks } from '#store/game/teampvp-ranks.ts';
import { bucketsIn } from '#store/game/time-buckets.ts';
import { after, configured, event, login, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, type TestAppContext, testContext } from '#test/support/context.ts';
import { retractEvents } from '#test/support/jobs.ts';
import { purge } from '#test/support/purge.ts';

const DAY_MS = 86_400_000;

interface BoardRow {
  bucket: number;
  mode: LeaderboardMode;
  player_key: number;
  uuid: string;
  name: string;
  win: number;
  kill: number;
  play: number;
  is_private: number;
  is_hidden: number;
}

/** Compares the places of all players on all boards, and the counts, with those counted here from the boards. */
async function assertExact({ db, clock }: TestAppContext, zone = 'UTC'): Promise<void> {
  while (await projectMatches(db, zone, clock.now()));
  const rows = await db.all<BoardRow>(sql`
    select b.bucket, b.mode, b.player_key, b.win, b.kill, b.play, p.uuid, p.name,
      (select count(*) from private_players v where v.uuid = p.uuid and v.profile = 1) as is_private,
      (select count(*) from hidden_players h where h.uuid = p.uuid) as is_hidden
    from boards b join players p on p.key = b.player_key`);
  const isLeftOut = (row: BoardRow): boolean => row.is_private > 0 || row.is_hidden > 0 || hasPseudonym(row);
  const counted = rows.filter((row) => !isLeftOut(row));
  const boards = Map.groupBy(counted, ({ bucket, mode }) => `${bucket} ${mode}`);
  const buckets = [...new Set(rows.map(({ bucket }) => bucket))];
  for (const player of new Set(rows.map(({ player_key }) => player_key))) {
    const expected = counted
      .filter(({ player_key }) => player_key === player)
      .flatMap((row) =>
        METRICS.filter((metric) => row[metric] > 0).map((metric) => {
          const others = boards.get(`${row.bucket} ${row.mode}`)!;
          const higher = others.filter((other) => other[metric] > row[metric]).length;
          const of = others.filter((other) => other[metric] > 0).length;
          return [row.bucket, row.mode, metric, row[metric], 1 + higher, of].join(' ');
        }),
      );
    const places = await placesOfPlayer(db, player, buckets);
    const found = places.map(({ bucket, mode, metric, value, place, of }) =>
      [bucket, mode, metric, value, place, of].join(' '),
    );
    assert.deepEqual(found.sort(), expected.sort());
  }
  const all = counted.flatMap((row) => METRICS.filter((metric) => row[metric] > 0)).length;
  const stored = await db.tuple(sql`
    select coalesce(sum(players), 0) from place_counts where board > 0 and level = 9`);
  assert.equal(Number(stored![0]), all);
}

/** Around the borders of buckets. */
const KILLS = [0, 1, 2, 62, 63, 64, 65, 127, 128, 4_095, 4_096, 4_097, 262_144];

const crowd = (round: number, players: number, gamemode = 'ctw') =>
  match({
    ...{ gamemode, win: 'Red' },
    teams: ['Red', 'Blue'].map((name, side) => ({
      name,
      players: Array.from({ length: players }, (_, number) => number)
        .filter((number) => (number + round) % 2 === side)
        .map((number) => ({ ...person(number), kill_count: KILLS[(number * 5 + round) % KILLS.length]! })),
    })),
  });

const privacy = (number: number, profile: boolean) =>
  event('player.privacy', { player: person(number).uuid, profile, online: false, names: false });

/** Sends a match whose values are not plausible, and counts it. */
async function count(context: TestAppContext, wire: ReturnType<typeof crowd>): Promise<number> {
  const key = keyOf((await sendEvents(context, wire))[0]!)!;
  assert.equal(await setCounted(context.db, context.clock, key, true), undefined);
  return key;
}

onEachDatabase('places are exact after matches, withdrawals, merges, erasures and private profiles', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'), privacy(1, true), login('Alpha', person(13)));
  await setHidden(db, clock.now(), NETWORK, [person(13).uuid]);
  // All values, one of them twice.
  const first = await count(context, crowd(0, KILLS.length + 1));
  await assertExact(context);
  const second = await count(context, crowd(1, 14, 'tdm'));
  await assertExact(context);
  await sendEvents(context, privacy(1, false), privacy(2, true), privacy(3, true));
  await assertExact(context);
  await setHidden(db, clock.now(), NETWORK, [person(4).uuid, 'Newcomer']);
  await assertExact(context);
  await sendEvents(context, login('Alpha', person(5, 'Newcomer'), { time: after(60_000) }));
  await assertExact(context);
  // A private player into a public one, and a public one into another.
  await sendEvents(context, event('player.merged', { from: person(3).uuid, into: person(6).uuid }));
  await sendEvents(context, event('player.merged', { from: person(7).uuid, into: person(8).uuid }));
  await runJobs(context);
  await assertExact(context);
  await sendEvents(context, login('Alpha', person(9), { time: after(90_000) }));
  assert.ok('uuid' in (await erasePlayer(db, clock.now(), person(9).uuid)));
  await runJobs(context);
  await assertExact(context);
  // The pseudonym is the newest name of the survivor.
  await sendEvents(context, event('player.merged', { from: person(9).uuid, into: person(10).uuid }));
  await runJobs(context);
  await assertExact(context);
  await retractEvents(db, clock, [first]);
  await assertExact(context);
  assert.equal(await setCounted(db, clock, second, false), undefined);
  await assertExact(context);
  assert.equal(await setCounted(db, clock, second, true), undefined);
  await assertExact(context, 'Asia/Tokyo');
  await purge(db, { zone: 'Asia/Tokyo', auditMs: DAY_MS, changesMs: 0 }, clock.now() + 200 * DAY_MS);
  await assertExact(context, 'Asia/Tokyo');
  await retractEvents(db, clock, [second]);
  while (await countRanks(db));
  for (const table of ['boards', 'place_counts'])
    assert.deepEqual(await db.tuples({ strings: [`select * from ${table}`], values: [] } as never), [], table);
});

onEachDatabase('equal values share a place, in every page of a list and around a player', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  // One, three, two, four and two players with 9, 7, 7 (another match), 2 and 1 kills.
  const values = [9, 7, 7, 7, 7, 7, 2, 2, 2, 2, 1, 1];
  const players = values.map((kill_count, number) => ({ ...person(number), kill_count }));
  await sendEvents(context, match({ teams: [team('Red', ...players)] }));
  while (await projectMatches(db, 'UTC', clock.now()));
  const board = { bucket: bucketsIn('UTC')(clock.now()).all, mode: 'total', metric: 'kill' } as const;
  const expected = [1, 2, 2, 2, 2, 2, 7, 7, 7, 7, 11, 11];
  for (const limit of [1, 2, 3, 4, 5, 12, 20]) {
    const walked = [];
    for (let page = await leaders(db, { ...board, limit }); page.length > 0;) {
      walked.push(...page);
      const { kill: value, key } = page.at(-1)!;
      page = await leaders(db, { ...board, limit, after: { value, key } });
    }
    assert.deepEqual(walked.map(({ place }) => place), expected, `pages of ${limit}`); // prettier-ignore
    assert.equal(new Set(walked.map(({ key }) => key)).size, values.length);
    for (const [index, { key }] of walked.entries()) {
      const around = await leadersAround(db, board, key, 3);
      assert.deepEqual(
        around.map((leader) => [leader.key, leader.place]),
        walked.slice(Math.max(0, index - 3), index + 4).map((leader) => [leader.key, leader.place]),
      );
      const own = (await placeOn(db, board, key))!;
      assert.deepEqual([own.place, own.of], [expected[index], values.length]);
    }
  }
  const absent = (await playerByUuid(db, person(0).uuid))!.key + 1_000_000;
  assert.deepEqual(await leadersAround(db, board, absent, 3), []);
  assert.equal(await placeOn(db, board, absent), undefined);
});

const MIGRATION = readFileSync(new URL('../../../src/db/migrations/048-places.sql', import.meta.url), 'utf8');

onEachDatabase('an upgrade counts the places of existing leaderboards and ranks', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'), privacy(1, true));
  await count(context, crowd(0, 24));
  await count(context, crowd(1, 14, 'tdm'));
  await setHidden(db, clock.now(), NETWORK, [person(2).uuid]);
  assert.ok('uuid' in (await erasePlayer(db, clock.now(), person(3).uuid)));
  await assertExact(context);
  while (await countRanks(db));
  const read = async (): Promise<unknown> => [
    await db.tuples(sql`select * from place_counts order by board, mode, counter, level, bucket`),
    await db.tuples(sql`select * from unranked_players order by player_key`),
  ];
  const counted = await read();
  const made = [...MIGRATION.matchAll(/^create table (\w+)/gm)].map(([, table]) => `drop table ${table};`);
  await db.migrating((tx) => tx.script(`${made.join(' ')} create table rank_counts (counter text);`));
  await db.migrating((tx) => tx.script(MIGRATION));
  assert.deepEqual(await read(), counted);
});
