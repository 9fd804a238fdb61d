import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { PurgeGuard } from '#server/purge-guard.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { recordAudit, listAudit } from '#store/audit/audit.ts';
import { healthOf } from '#store/installation/health.ts';
import { recordRun } from '#store/installation/job-runs.ts';
import { scorehall } from '#test/cli/scorehall.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const actor = { via: 'command', account_id: null, name: 'root', address: 'host' } as const;

onEachDatabase('a purge deletes nothing while the clock is more than a day ahead of the last one', async (t, url) => {
  const context = await testContext(t, url, { AUDIT_LIFETIME: '1d' });
  const { db, clock } = context;
  const entries = async (): Promise<number> => (await listAudit(db, { action: 'test' }, 9)).length;
  const paused = async (): Promise<boolean> =>
    (await healthOf(db, { now: clock.now(), since: 0, mailServer: '' })).purge.paused;
  await db.transaction((tx) => recordAudit(tx, clock.now(), actor, { action: 'test.one' }));
  await runJobsOnce(context);
  clock.advance(DAY);
  await runJobsOnce(context);
  assert.equal(await entries(), 1, 'exactly as old as its lifetime');
  await runJobsOnce(context);
  clock.advance(DAY);
  assert.equal(await paused(), false, 'a day after the last purge');
  await runJobsOnce(context);
  assert.equal(await entries(), 0);

  await db.transaction((tx) => recordAudit(tx, clock.now(), actor, { action: 'test.two' }));
  clock.advance(DAY + 1);
  assert.equal(await paused(), true, 'health says so before the first run');
  await runJobsOnce(context);
  clock.advance(400 * DAY);
  await runJobsOnce(context);
  assert.equal(await entries(), 1);
  clock.advance(-401 * DAY);
  assert.equal(await paused(), false, 'the clock is right again');
  await runJobsOnce(context);
  assert.equal(await entries(), 1);
});

onEachDatabase('after a day in which both clocks advance alike, the time is trusted', async (t, url) => {
  const { db, clock, log } = await testContext(t, url);
  let monotonic = 0;
  const guard = new PurgeGuard(db, log, () => monotonic);
  const allowed = (): Promise<boolean> => guard.allows(clock.now());
  const pass = (ms: number, wall = ms): void => {
    monotonic += ms;
    clock.advance(wall);
  };
  assert.equal(await allowed(), true, 'a new database');
  await recordRun(db, 'purge', clock.now());
  pass(MINUTE, 400 * DAY);
  assert.equal(await allowed(), false);
  pass(DAY - 1);
  assert.equal(await allowed(), false);
  pass(1, MINUTE + 2);
  assert.equal(await allowed(), false, 'the clock jumped again');
  pass(DAY - MINUTE, DAY);
  assert.equal(await allowed(), false, 'alike, but not yet a day');
  pass(MINUTE);
  assert.equal(await allowed(), true, 'slewed by a minute');
  assert.equal(await new PurgeGuard(db, log, () => monotonic).allows(clock.now()), false, 'in one process');
});

onEachDatabase('scorehall purge refuses a suspect clock until the operator confirms it', async (t, url) => {
  const { db } = await testContext(t, url);
  const command = (...args: string[]) => scorehall({ DATABASE_URL: url }, ...args);
  const health = async (): Promise<Record<string, unknown>> =>
    JSON.parse((await command('health', '--json')).out) as Record<string, unknown>;
  await recordRun(db, 'purge', Date.now() - 2 * DAY);
  await db.run(sql`insert into throttles (subject, used, resets) values ('x', 1, ${Date.now() - 1000})`);
  const count = async (): Promise<number> => (await db.all(sql`select subject from throttles`)).length;
  assert.match(String((await health())['purge']), /^paused: .*scorehall purge --confirm$/);
  const refused = await command('purge');
  assert.equal(refused.status, 2);
  assert.match(refused.err, /more than a day after the last purge .*run: scorehall purge --confirm/);
  assert.equal(await count(), 1);
  assert.equal((await command('purge', '--confirm')).status, 0);
  assert.equal(await count(), 0);
  assert.equal((await health())['purge'], 'ok');
  assert.equal((await command('purge')).status, 0);
});
