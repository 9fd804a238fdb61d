import assert from 'node:assert/strict';
import { insertAll, sql } from '#db/sql.ts';
import { purgeNow } from '#server/jobs.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';

const ROWS = 10_000;
/** Rows that the purge deletes in one transaction. */
const BATCH = 500;

onEachDatabase('a purge of many rows gives the event loop a turn after each batch', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const expired = Array.from({ length: ROWS }, (_, index) => [`subject ${index}`, 1, clock.now()]);
  await db.runAll(insertAll('insert into rate_limits (subject, used, resets) values', expired));
  let turns = 0;
  const next = (): void => {
    turns++;
    turn = setImmediate(next);
  };
  let turn = setImmediate(next);
  const stop = new AbortController();
  await purgeNow(context, { load: { busyMs: 0 }, stop: stop.signal, maxPause: 40 });
  clearImmediate(turn);
  assert.deepEqual(await db.tuples(sql`select count(*) from rate_limits`), [[0]]);
  assert.ok(turns >= ROWS / BATCH, `${turns} turns`);
});

onEachDatabase('a purge that is interrupted is not recorded as done', async (t, url) => {
  const context = await testContext(t, url);
  await purgeNow(context, { load: { busyMs: 0 }, stop: AbortSignal.abort(), maxPause: 40 });
  assert.deepEqual(await context.db.tuples(sql`select count(*) from job_runs where name = 'purge'`), [[0]]);
});
