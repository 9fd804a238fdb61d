import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { keyOf } from '#platform/ids.ts';
import {
  projectMatches,
  mergeLeaderboards,
  removeMatchResult,
  removePlayersFromLeaderboards,
  subtractPlayedTwice,
} from '#store/game/leaderboards/leaderboard-projection.ts';
import { readActivity, leaders, resultsOn } from '#store/game/leaderboards/leaderboards.ts';
import { back, bucketsIn, bucketStart, bucketPeriod } from '#store/game/time-buckets.ts';
import { BatchLimit } from '#store/game/projections.ts';
import { recordOnline } from '#demo/presence.ts';
import { onlineSince } from '#store/game/online-samples.ts';
import { playerByUuid } from '#store/game/players.ts';
import { purge } from '#test/support/purge.ts';
import { runJobsOnce, runWithPauses, startJobs } from '#server/jobs.ts';
import { after, BEGINNING, match, person, presence, team, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { counting } from '#test/db/counting-db.ts';

const NOW = Date.parse(BEGINNING);
const DAY_MS = 86_400_000;

async function projectAll(db: Db, zone = 'UTC', now = NOW): Promise<void> {
  while (await projectMatches(db, zone, now));
}

/** Copies rows: those of SQLite have no prototype, which `deepEqual` would report as a difference. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const dump = async (db: Db): Promise<unknown> => [
  await db.tuples(sql`select * from boards order by bucket, mode, player_key`),
  await db.tuples(sql`select * from map_results order by map_key, team`),
];

const fought = (number: number, kill_count: number, death_count = 0) => ({
  ...person(number),
  kill_count,
  death_count,
  time_played: 60,
});

const duel = (winner: number, loser: number, finished = BEGINNING, gamemode = 'ctw') =>
  match({
    gamemode,
    win: 'Red',
    started: finished,
    finished,
    teams: [team('Red', fought(winner, 3)), team('Blue', fought(loser, 1))],
  });

onEachDatabase('matches are counted once for each mode and period, and players are ranked', async (t, url) => {
  const { db, clock } = await testContext(t, url);
  const yesterday = after(-DAY_MS);
  await sendEvents(
    { db, clock },
    duel(1, 2),
    duel(1, 2, BEGINNING, 'tdm'),
    duel(2, 1, yesterday),
    duel(2, 1, yesterday),
  );
  await projectAll(db);
  await projectAll(db);
  const { day, month, all } = bucketsIn('UTC')(NOW);
  const board = async (bucket: number, mode: 'total' | 'ctw', metric: 'win' | 'kill' | 'play') =>
    (await leaders(db, { bucket, mode, metric, limit: 10 })).map(({ name, ...row }) => [name, row[metric]]);
  assert.deepEqual(await board(day, 'total', 'win'), [['Player1', 2]]);
  assert.deepEqual(await board(day, 'ctw', 'kill'), [['Player1', 3], ['Player2', 1]]); // prettier-ignore
  assert.deepEqual(await board(back(day, 1), 'ctw', 'win'), [['Player2', 2]]);
  assert.deepEqual(await board(all, 'total', 'kill'), [['Player2', 8], ['Player1', 8]]); // prettier-ignore
  assert.deepEqual(await board(month, 'total', 'play'), [['Player2', 2], ['Player1', 2]]); // prettier-ignore
  const first = await leaders(db, { bucket: all, mode: 'total', metric: 'kill', limit: 1 });
  const last = { value: first[0]!.kill, key: first[0]!.key };
  const second = await leaders(db, { bucket: all, mode: 'total', metric: 'kill', limit: 1, after: last });
  assert.deepEqual([first[0]!.name, second[0]!.name], ['Player2', 'Player1']);
  const player = (await playerByUuid(db, person(1).uuid))!;
  const activity = await readActivity(db, player.key, [day, back(day, 1), back(day, 2)]);
  assert.deepEqual(activity.get(day), { play: 2, win: 2, kill: 6, death: 0, time: 120 });
  assert.equal(activity.has(back(day, 2)), false);
});

const crowd = (size: number) => match({ teams: [team('Red', ...Array.from({ length: size }, (_, number) => number))] });

onEachDatabase('a transaction counts few players, or one match', async (t, url) => {
  const { db, clock } = await testContext(t, url);
  const sizes = [1, 1, 300, 200, 100, 40, 1];
  await projectAll(db);
  await sendEvents({ db, clock }, ...sizes.map(crowd));
  const counted = counting(db);
  await projectAll(counted.db);
  // Two modes in four periods for each player.
  const players = counted.returned.map((rows) => rows / 8);
  assert.deepEqual(players, [1, 300, 200, 100], 'the players that each transaction counts, each once');
  const [everybody] = await leaders(db, { bucket: bucketsIn('UTC')(NOW).all, mode: 'total', metric: 'play', limit: 1 });
  assert.equal(everybody?.play, sizes.length);
});

onEachDatabase('a transaction on SQLite counts fewer players after a slow one', async (t, url) => {
  const { db, clock } = await testContext(t, url);
  await projectAll(db);
  const countAfter = async (tookMs: number): Promise<number> => {
    const limit = new BatchLimit();
    limit.took(100, tookMs);
    await projectMatches(db, 'UTC', NOW, { limit });
    return (await resultsOn(db, 'twin peaks')).matches;
  };
  await sendEvents({ db, clock }, ...Array.from({ length: 8 }, () => crowd(10)));
  assert.equal(await countAfter(1_000), db.dialect === 'sqlite' ? 3 : 8);
  assert.equal(await countAfter(1), 8);
});

onEachDatabase('map results count the wins of each team, and draws', async (t, url) => {
  const { db, clock } = await testContext(t, url);
  await sendEvents({ db, clock }, duel(1, 2), duel(1, 2), match({ teams: [team('Red', 1), team('Blue', 2)] }));
  await projectAll(db);
  assert.deepEqual(plain(await resultsOn(db, 'twin peaks')), {
    matches: 3,
    draws: 1,
    teams: [
      { team: 'Blue', play: 3, win: 0 },
      { team: 'Red', play: 3, win: 2 },
    ],
  });
  assert.deepEqual(await resultsOn(db, 'nowhere'), { matches: 0, draws: 0, teams: [] });
});

onEachDatabase('after a retraction or a merge the leaderboards are as if it had always been so', async (t, url) => {
  const { db, clock } = await testContext(t, url);
  await sendEvents({ db, clock }, duel(1, 2), duel(3, 2));
  await projectAll(db);
  const before = await dump(db);
  const ids = await sendEvents({ db, clock }, duel(1, 2), duel(2, 3, after(-40 * DAY_MS), 'koth'));
  await projectAll(db);
  const late = await sendEvents({ db, clock }, duel(1, 3));
  const keys = [...ids, ...late].map((id) => keyOf(id)!);
  await db.transaction(async (tx) => {
    for (const key of keys) {
      const countedFor = await removeMatchResult(tx, key);
      const players = await tx.tuples(sql`select player_key from player_matches where match_key = ${key}`);
      const playerKeys = players.map(([player]) => player as number);
      await removePlayersFromLeaderboards(tx, key, playerKeys, countedFor);
    }
    for (const key of keys) await tx.run(sql`delete from player_matches where match_key = ${key}`);
    for (const key of keys) await tx.run(sql`delete from matches where key = ${key}`);
  });
  await projectAll(db);
  assert.deepEqual(await dump(db), before);

  await sendEvents({ db, clock }, duel(1, 3));
  await projectAll(db);
  const [from, into] = await Promise.all([1, 3].map((number) => playerByUuid(db, person(number).uuid)));
  await db.transaction(async (tx) => {
    await mergeLeaderboards(tx, NOW, from!.key, into!.key);
    const matches = await tx.tuples(sql`
      select a.match_key from player_matches a join player_matches b on b.match_key = a.match_key
      where a.player_key = ${from!.key} and b.player_key = ${into!.key}`);
    const twice = matches.map(([key]) => key as number);
    await subtractPlayedTwice(tx, twice, from!.key, into!.key);
  });
  const [top, ...others] = await leaders(db, {
    bucket: bucketsIn('UTC')(NOW).all,
    mode: 'ctw',
    metric: 'win',
    limit: 9,
  });
  // The match that both played counts once: won, because one of them won it, with the kills of both.
  assert.deepEqual([top!.name, top!.win, top!.play, top!.kill, others.length], ['Player3', 3, 3, 10, 0]);
});

onEachDatabase('concurrent projections count no match twice', async (t, url) => {
  const { db, clock } = await testContext(t, url);
  const other = await testContext(t, url);
  await sendEvents({ db, clock }, ...Array.from({ length: 230 }, (_, number) => duel(number % 7, 100 + (number % 5))));
  await Promise.all([projectAll(db), projectAll(other.db), projectAll(db)]);
  assert.equal((await resultsOn(db, 'twin peaks')).matches, 230);
  const rows = await leaders(db, { bucket: bucketsIn('UTC')(NOW).all, mode: 'total', metric: 'play', limit: 99 });
  assert.equal(rows.reduce((sum, { play }) => sum + play, 0), 460); // prettier-ignore
});

onEachDatabase('a changed time zone restarts the projection with its days; old buckets are purged', async (t, url) => {
  const { db, clock } = await testContext(t, url);
  await sendEvents({ db, clock }, duel(1, 2, '2026-02-28T20:00:00Z'), duel(1, 2, after(-60 * DAY_MS)));
  await projectAll(db);
  const count = async (bucket: number): Promise<number> =>
    (await leaders(db, { bucket, mode: 'total', metric: 'win', limit: 9 })).length;
  const utc = bucketsIn('UTC')(NOW);
  assert.deepEqual([await count(utc.day), await count(back(utc.day, 1)), await count(back(utc.day, 60))], [0, 1, 0]);
  await projectAll(db, 'Asia/Tokyo');
  assert.deepEqual([await count(utc.day), await count(back(utc.day, 1))], [1, 0]);
  await purge(db, { zone: 'Asia/Tokyo', auditMs: DAY_MS, changesMs: 0 }, NOW + 20 * DAY_MS);
  assert.equal(await count(utc.day), 1);
  await purge(db, { zone: 'Asia/Tokyo', auditMs: DAY_MS, changesMs: 0 }, NOW + 31 * DAY_MS);
  assert.deepEqual([await count(utc.day), await count(utc.month), await count(utc.all)], [0, 1, 1]);
});

onEachDatabase('the jobs sample the players online, count matches and purge expired rows', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, duel(1, 2), presence('Alpha', { players: ['A', 'B'] }));
  await recordOnline(db, [{ time: clock.now() - 9 * DAY_MS, count: 7 }]);
  await db.run(
    sql`insert into rate_limits (subject, used, resets) values ('old', 1, 1), ('new', 1, ${clock.now() + 1})`,
  );
  await db.run(
    sql`insert into tokens (hash, kind, payload, expires) values ('a', 'Grant', '{}', 1), ('b', 'Grant', '{}', null)`,
  );
  await runJobsOnce(context);
  await runJobsOnce(context);
  assert.deepEqual(plain(await onlineSince(db, 0)), [{ time: clock.now(), count: 2 }]);
  assert.deepEqual(await db.tuples(sql`select subject from rate_limits`), [['new']]);
  assert.deepEqual(await db.tuples(sql`select hash from tokens`), [['b']]);
  assert.equal((await resultsOn(db, 'twin peaks')).matches, 1);
  await startJobs(context, { busyMs: 0 })[Symbol.asyncDispose]();
});

/** How often the projection pauses between two batches. */
async function pausesBetweenBatches(busyMsEachCheck: number, othersWait = false): Promise<number> {
  let checks = 0;
  const load = {
    get busyMs() {
      return busyMsEachCheck * checks++;
    },
  };
  const steps = [true, false];
  const pacing = { load, stop: new AbortController().signal, maxPause: 5, othersWait: () => othersWait };
  await runWithPauses(async () => steps.shift()!, pacing);
  // Each batch is between two checks, except the last, which ends the run; each pause too.
  return (checks - 3) / 2;
}

test('the projection pauses the maximum number of times while the ingest is busy, and never while nobody writes', async () => {
  assert.equal(await pausesBetweenBatches(DAY_MS), 5);
  assert.equal(await pausesBetweenBatches(0, true), 1);
  assert.equal(await pausesBetweenBatches(0), 0);
});

test('buckets are days, weeks from Monday and months, in every time zone and at every date', () => {
  const date = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  const zones = fc.constantFrom('UTC', 'Asia/Tokyo', 'America/St_Johns', 'Australia/Lord_Howe');
  fc.assert(
    fc.property(date, zones, fc.integer({ min: 1, max: 40 }), (timestamp, zone, count) => {
      const at = bucketsIn(zone)(timestamp.getTime());
      const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(timestamp);
      assert.equal(new Date(bucketStart(at.day)).toISOString().slice(0, 10), shown);
      assert.equal(new Date(bucketStart(at.week)).getUTCDay(), 1);
      assert.equal(new Date(bucketStart(at.month)).getUTCDate(), 1);
      assert.ok(at.week % 1e8 <= at.day % 1e8 && at.month % 1e8 <= at.day % 1e8);
      for (const bucket of [at.day, at.week, at.month]) {
        assert.ok(back(bucket, count) < bucket);
        assert.equal(bucketPeriod(back(bucket, count)), bucketPeriod(bucket));
        assert.equal(back(back(bucket, count), -count), bucket);
      }
    }),
  );
});
