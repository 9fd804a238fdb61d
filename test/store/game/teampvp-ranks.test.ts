import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { findPlayer, playersBefore } from '#store/game/players.ts';
import { statsOf, type Stats } from '#store/game/player-stats.ts';
import { countRanks, killDeathRatio, RANKED_PER_STEP, readTeampvpRanks } from '#store/game/teampvp-ranks.ts';
import { setCounted } from '#events/handlers/match-counting.ts';
import { keyOf } from '#platform/ids.ts';
import { event, match, person, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, type TestAppContext, testContext } from '#test/support/context.ts';
import { finishJobs, retractEvents } from '#test/support/jobs.ts';

/** More than are ranked in a step, and than a bucket has values. */
const PLAYERS = 66;
/** Around the borders of buckets, and more than a bucket of the lowest levels holds. */
const KILLS = [0, 1, 63, 64, 65, 4_095, 4_096, 262_143, 262_144, 999_999_999];

/** A match in which each player has different counters; many of them are equal to those of others. */
function crowd(round: number, size = PLAYERS) {
  const players = Array.from({ length: size }, (_, number) => ({
    ...person(number),
    kill_count: KILLS[(number * 7 + round) % KILLS.length]!,
    death_count: (number + round) % 5,
    time_played: (number * 7_919 + round) % 400_000,
  }));
  const teams = [
    { name: 'Red', players: players.filter((_, number) => number % 3 === 0) },
    { name: 'Blue', players: players.filter((_, number) => number % 3 !== 0) },
  ];
  return match({ win: 'Red', teams });
}

const VALUES: Record<string, (counters: Stats['teampvp']) => number> = {
  kill: ({ kill }) => kill!,
  win: ({ win }) => win!,
  ratio: killDeathRatio,
  objective: ({ objective }) => objective!,
  time: ({ time }) => time!,
};

/** Compares the ranks of all players with those counted here. */
async function assertExact({ db }: TestAppContext): Promise<number> {
  let steps = 0;
  while (await countRanks(db)) steps++;
  const players = await playersBefore(db, Number.MAX_SAFE_INTEGER, 1_000);
  const all = await Promise.all(players.map(async ({ key }) => ({ key, stats: await statsOf(db, key) })));
  const ranked = all.filter(({ stats }) => stats.teampvp['play']! > 0);
  for (const { key, stats } of ranked) {
    const ranks: Record<string, number> = await readTeampvpRanks(db, key, stats);
    for (const [counter, valueOf] of Object.entries(VALUES)) {
      const own = valueOf(stats.teampvp);
      const higher = ranked.filter((other) => valueOf(other.stats.teampvp) > own).length;
      assert.equal(ranks[counter], 1 + higher, `${counter} ${own}`);
    }
  }
  return steps;
}

onEachDatabase('ranks are exact after matches, withdrawals and merges', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const [first] = await sendEvents(context, crowd(0));
  // Its values are implausible, so an operator counts it.
  assert.equal(await setCounted(db, clock, keyOf(first!)!, true), undefined);
  assert.equal(await assertExact(context), Math.floor(PLAYERS / RANKED_PER_STEP), 'few players in a transaction');
  const [second] = await sendEvents(
    context,
    crowd(1),
    match({ gamemode: 'ctw', teams: [{ name: 'Red', players: [person(999)] }] }),
  );
  assert.equal(await setCounted(db, clock, keyOf(second!)!, true), undefined);
  assert.deepEqual(await db.tuples(sql`select 1 from rank_changes where player_key = 0`), []);
  await assertExact(context);
  await sendEvents(context, event('player.merged', { from: person(3).uuid, into: person(4).uuid }));
  await finishJobs(db);
  await assertExact(context);
  assert.equal((await db.tuples(sql`select 1 from ranked_players`)).length, PLAYERS - 1);
  await retractEvents(db, clock, [keyOf(first!)!]);
  await assertExact(context);
  const ctw = (await findPlayer(db, person(999).uuid))!;
  assert.equal((await readTeampvpRanks(db, ctw.key, await statsOf(db, ctw.key))).kill, 0);
});

onEachDatabase('nothing remains of ranks when the last match is withdrawn', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const [first, second] = await sendEvents(context, crowd(0, RANKED_PER_STEP + 1), crowd(1, RANKED_PER_STEP + 1));
  for (const id of [first, second]) assert.equal(await setCounted(db, clock, keyOf(id!)!, true), undefined);
  await assertExact(context);
  await retractEvents(db, clock, [keyOf(first!)!, keyOf(second!)!]);
  await assertExact(context);
  for (const table of ['ranked_players', 'place_counts', 'rank_changes']) {
    assert.deepEqual(await db.tuples({ strings: [`select * from ${table}`], values: [] }), [], table);
  }
});
