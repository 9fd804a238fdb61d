import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openDb } from '#db/db.ts';
import { LogSync } from '#db/log-sync.ts';
import { sql } from '#db/sql.ts';
import { onEachDatabase } from '../support/hall.ts';

onEachDatabase('what was committed lazily is seen by others at once, and synced when asked for', async (_, url) => {
  await using lazy = await openDb(url, { lazy: true });
  await using other = await openDb(url);
  await lazy.migrating((tx) => tx.script('create table things (key bigint primary key)'));
  await Promise.all([1, 2, 3].map((key) => lazy.run(sql`insert into things (key) values (${key})`)));
  assert.deepEqual(await other.tuples(sql`select count(*) from things`), [[3]]);
  await Promise.all([lazy.sync(), other.sync(), other.sync()]);
  await other.run(sql`insert into things (key) values (4)`);
  await lazy.sync();
  assert.deepEqual(await lazy.tuples(sql`select count(*) from things`), [[4]]);
});

/** A log that has no file yet, so that it cannot be synced. */
async function brokenLog(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'log-'));
  t.after(() => rm(folder, { recursive: true }));
  const mend = async (): Promise<void> => {
    await mkdir(join(folder, 'database'));
    await writeFile(join(folder, 'database/log'), 'log');
  };
  return { path: join(folder, 'database/log'), mend };
}

test('a sync that fails fails all who waited for it, and what comes behind it first makes sure of everything', async (t) => {
  const { path, mend } = await brokenLog(t);
  let recovered = 0;
  const log = new LogSync(path, async () => void recovered++);
  t.after(() => log.close());
  const outcomes = await Promise.allSettled([log.sync(), log.sync(), log.sync()]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  assert.equal(recovered, 0);
  await mend();
  await Promise.all([log.sync(), log.sync()]);
  assert.equal(recovered, 1);
  await log.sync();
  assert.equal(recovered, 1, 'all is well again');
});

test('as long as nothing makes sure of what a sync lost, no other passes', async (t) => {
  const { path, mend } = await brokenLog(t);
  let whole = false;
  const log = new LogSync(path, async () => {
    if (!whole) throw new Error('not yet');
  });
  t.after(() => log.close());
  await assert.rejects(log.sync(), { code: 'ENOENT' });
  await mend();
  await assert.rejects(log.sync(), { message: 'not yet' });
  await assert.rejects(log.sync(), { message: 'not yet' });
  whole = true;
  await log.sync();
});

test('whoever asks while a sync is under way gets the next one', async (t) => {
  const { path, mend } = await brokenLog(t);
  await mend();
  const log = new LogSync(path, () => Promise.reject(new Error('Nothing has failed.')));
  t.after(() => log.close());
  const first = log.sync();
  assert.equal(log.sync(), first, 'it has not begun: what is committed now is part of it');
  await Promise.resolve();
  await Promise.resolve();
  const second = log.sync();
  assert.notEqual(second, first);
  assert.equal(log.sync(), second);
  await second;
});
