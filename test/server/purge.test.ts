import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import type { Db, Queryable, TransactionOptions } from '#db/db.ts';
import { insertAll, type Sql, sql } from '#db/sql.ts';
import { purgeNow } from '#server/jobs.ts';
import { account } from '#test/support/builders.ts';
import { createTestDatabase, onEachDatabase, testContext } from '#test/support/context.ts';

const DAY_MS = 86_400_000;
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

/** A database that notes how many rows each of its statements changes. */
function countingChanges(db: Db, counts: number[]): Db {
  const counted = <Q extends Queryable>(target: Q): Q =>
    new Proxy(target, {
      get(_, name) {
        const member = Reflect.get(target, name, target) as unknown;
        if (typeof member !== 'function') return member;
        if (name === 'run')
          return async (query: Sql) => {
            const changed = await target.run(query);
            counts.push(changed);
            return changed;
          };
        if (name === 'transaction')
          return (work: (tx: Queryable) => Promise<unknown>, options: TransactionOptions) =>
            db.transaction((tx) => work(counted(tx)), options);
        return member.bind(target) as unknown;
      },
    });
  return counted(db);
}

onEachDatabase('hashes of deleted tokens and ended sessions are purged in batches', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const { id } = await account(context, 'Ada');
  const numbers = Array.from({ length: BATCH + 1 }, (_, number) => number);
  const sessionOf = (number: number | string) => [`uid ${number}`, id, 1, 1, '', ''];
  const insertSessions = 'insert into account_sessions (uid_hash, account_id, created, seen, address, agent) values';
  await db.runAll([
    ...insertAll(
      'insert into tokens (hash, kind, payload, expires) values',
      numbers.map((n) => [`hash ${n}`, 'AccessToken', '', 1]),
    ),
    ...insertAll(insertSessions, numbers.map(sessionOf)),
    ...insertAll(
      insertSessions,
      ['live', 'zz live'].map((name) => sessionOf(name)),
    ),
    ...insertAll(
      'insert into tokens (hash, kind, payload, uid_hash, expires) values',
      ['live', 'zz live'].map((name) => [name, 'Session', '', `uid ${name}`, clock.now() + 1]),
    ),
  ]);
  const counts: number[] = [];
  await purgeNow({ ...context, db: countingChanges(db, counts) });
  assert.equal(Math.max(...counts), BATCH);
  assert.deepEqual(await db.tuples(sql`select count(*), min(until), max(until) from former_tokens`), [
    [BATCH + 1, clock.now() + DAY_MS, clock.now() + DAY_MS],
  ]);
  assert.deepEqual(await db.tuples(sql`select uid_hash from account_sessions order by uid_hash`), [
    ['uid live'],
    ['uid zz live'],
  ]);
  clock.advance(DAY_MS);
  await purgeNow(context);
  assert.deepEqual(await db.tuples(sql`select count(*) from former_tokens`), [[0]]);
  assert.deepEqual(await db.tuples(sql`select count(*) from account_sessions`), [[0]], 'their tokens have expired');
});

onEachDatabase('a purge waits for as long as it is held back', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await db.run(sql`insert into rate_limits (subject, used, resets) values ('old', 1, ${clock.now()})`);
  const left: unknown[] = [];
  let waits = 0;
  // `left` may have answers of earlier questions only; the second one is asked after a wait.
  const isHeldBack = (): boolean => {
    if (++waits > 2) return false;
    void db.tuple(sql`select count(*) from rate_limits`).then((row) => left.push(row));
    return true;
  };
  await purgeNow(context, { load: { busyMs: 0 }, stop: new AbortController().signal, maxPause: 40, isHeldBack });
  assert.deepEqual(left, [[1], [1]]);
  assert.deepEqual(await db.tuples(sql`select count(*) from rate_limits`), [[0]]);

  await db.run(sql`insert into rate_limits (subject, used, resets) values ('old', 1, ${clock.now()})`);
  const stop = new AbortController();
  const held = purgeNow(context, { load: { busyMs: 0 }, stop: stop.signal, maxPause: 40, isHeldBack: () => true });
  stop.abort();
  await held;
  assert.deepEqual(
    await db.tuples(sql`select count(*) from rate_limits`),
    [[1]],
    'the end of the process ends the wait',
  );
});

test('the length of the log of SQLite is that of the file behind a link; a server has none', async (t) => {
  for (const dialect of ['sqlite', 'postgres'] as const) {
    const database = await createTestDatabase(dialect);
    t.after(() => database.drop());
    const { db } = await testContext(t, database.url);
    await db.run(sql`insert into rate_limits (subject, used, resets) values ('one', 1, 1)`);
    assert.equal(db.logBytes(), dialect === 'sqlite' ? statSync(`${database.url}-wal`).size : 0);
    assert.ok(dialect === 'postgres' || db.logBytes() > 0);
  }
});

onEachDatabase('a purge that is interrupted is not recorded as done', async (t, url) => {
  const context = await testContext(t, url);
  await purgeNow(context, { load: { busyMs: 0 }, stop: AbortSignal.abort(), maxPause: 40 });
  assert.deepEqual(await context.db.tuples(sql`select count(*) from job_runs where name = 'purge'`), [[0]]);
});
