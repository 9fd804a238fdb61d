import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from '#db/sql.ts';
import type { AppContext } from '#context/context.ts';
import { runJobsOnce, startJobs } from '#server/jobs.ts';
import { configured, match, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite, testContext } from '#test/support/context.ts';

/** A log that keeps its entries. */
function keepingLog() {
  const entries: [string, Record<string, unknown>, string][] = [];
  const keep = (level: string) => (fields: Record<string, unknown>, text: string) => void entries.push([level, fields, text]); // prettier-ignore
  const log = { info: keep('info'), warn: keep('warn'), error: keep('error') } as unknown as AppContext['log'];
  return { entries, log };
}

onEachDatabase('another time zone than before is logged once: the leaderboards are counted again', async (t, url) => {
  const context = await testContext(t, url, { TIME_ZONE: 'Asia/Tokyo', REVOCATION_LOG: 'off' });
  const { entries, log } = keepingLog();
  const run = (TIME_ZONE: string) => runJobsOnce({ ...context, log, config: { ...context.config, TIME_ZONE } }, 1_000);
  await run('UTC');
  await run('Asia/Tokyo');
  assert.deepEqual(entries, [], 'there were no matches to count again');
  await sendEvents(context, configured('Alpha'), match());
  await run('Asia/Tokyo');
  await run('Asia/Tokyo');
  assert.deepEqual(entries, []);
  await run('UTC');
  await run('UTC');
  const text = 'TIME_ZONE has changed: the leaderboards are counted again, from the first match';
  assert.deepEqual(entries, [['warn', { from: 'Asia/Tokyo', to: 'UTC' }, text]]);
});

onSqlite('a job that fails by one cause is logged once, and again when it works', async (t, url) => {
  const REVOCATION_LOG = mkdtempSync(join(tmpdir(), 'a-folder-'));
  const context = await testContext(t, url, { REVOCATION_LOG });
  const { entries, log } = keepingLog();
  await context.db.run(sql`insert into revocations (kind, subject, detail) values ('token', 'x', 'AccessToken')`);
  let reads = 0;
  const seen = Promise.withResolvers<void>();
  // Each run reads the setting three times: two runs fail, the third works.
  const setting = (): string => {
    if (++reads === 7) seen.resolve();
    return reads < 7 ? REVOCATION_LOG : 'off';
  };
  const config = Object.defineProperty({ ...context.config }, 'REVOCATION_LOG', { get: setting });
  await using jobs = startJobs({ ...context, config, log }, { busyMs: 0 });
  await seen.promise;
  await jobs[Symbol.asyncDispose]();
  const own = entries.filter(([, { job }]) => job === 'write revocation log');
  assert.deepEqual(
    own.map(([level, , text]) => `${level} ${text}`),
    ['error background job failed', 'info background job works again'],
  );
  const { message } = own[0]![1]['err'] as Error;
  assert.match(message, /^The revocation log \S+a-folder-\S+ cannot be written \(EISDIR/);
});
