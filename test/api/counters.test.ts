import assert from 'node:assert/strict';
import { setCounted } from '#events/handlers/match-counting.ts';
import { isExcluded } from '#store/game/excluded-matches.ts';
import fc from 'fast-check';
import { keyOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import { apiDocument } from '#api/index.ts';
import { createSite } from '#site/index.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { testApi } from '#test/support/api.ts';
import { event, match, person, statistics, team, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { retractEvents } from '#test/support/jobs.ts';

const MAX = Number.MAX_SAFE_INTEGER;
const [ADA, BOB] = [person(1, 'Ada'), person(2, 'Bob')];
const huge = fc.integer({ min: 999_000_000, max: 1_000_000_000 });

onEachDatabase('counters above the safe integers are shown capped, and retracting restores them', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const { db, clock } = context;
  await sendEvents(context, match({ teams: [team('Red', ADA), team('Blue', BOB)], win: 'Red' }));
  const kills = async (group: string, who = 'Ada'): Promise<number> => {
    const { status, json: body } = await get(`/v1/players/${who}?fields=total,teampvp,factions`);
    assert.equal(status, 200, JSON.stringify(body));
    return (body as Record<string, Record<string, number>>)[group]!['kill_count']!;
  };
  const start = async (base: number): Promise<void> => {
    await db.run(
      sql`update player_stats set teampvp_kill = ${base}, teampvp_score = ${-base}, factions_kill = ${base}`,
    );
    await db.run(sql`update boards set kill = ${base}, time = ${base}`);
  };
  const site = createSite(context, async () => apiDocument(context.config));
  const shown = async (): Promise<void> => {
    const boards = ['day', 'week', 'month', 'all'].map((period) => `/leaderboards?period=${period}&by=kill`);
    for (const path of ['/', '/players', '/players/Ada', ...boards]) {
      const page = await site.request(`http://127.0.0.1${path}`);
      assert.ok(page.status === 200 || page.status === 302, `${path}: ${page.status}`);
    }
  };
  await runJobsOnce(context);

  await fc.assert(
    fc.asyncProperty(
      fc.array(huge, { minLength: 1, maxLength: 4 }),
      fc.nat(2_000_000_000),
      async (counts, headroom) => {
        const base = MAX - headroom;
        await start(base);
        const sum = counts.reduce((total, count) => total + count, 0);
        const received = counts.flatMap((kill_count) => [
          match({ teams: [team('Red', { ...ADA, kill_count, score: -kill_count, time_played: kill_count })] }),
          statistics(ADA, { kill_count }),
        ]);
        const ids = await sendEvents(context, ...received);
        // An operator counts the matches, whose values no game gives.
        for (const id of ids) if (await isExcluded(db, keyOf(id)!)) await setCounted(db, clock, keyOf(id)!, true);
        await runJobsOnce(context);
        const exact = Math.min(MAX, base + sum);
        assert.equal(await kills('teampvp'), exact);
        assert.equal(await kills('factions'), exact);
        assert.equal(await kills('total'), MAX);
        await shown();
        await retractEvents(
          db,
          clock,
          ids.map((id) => keyOf(id)!),
        );
        assert.equal(await kills('teampvp'), base, 'retracting restores the exact count');
        const [board] = await db.tuples(sql`
        select min(kill), max(time) from boards b join players p on p.key = b.player_key where p.uuid = ${ADA.uuid}`);
        assert.deepEqual(board, [base, base]);
      },
    ),
    { numRuns: 5 },
  );

  await start(MAX - 1);
  const [merged] = await sendEvents(context, event('player.merged', { from: BOB.uuid, into: ADA.uuid }));
  assert.ok(merged);
  assert.equal(await kills('teampvp'), MAX);
  await shown();
});
