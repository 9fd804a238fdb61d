import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Unavailable } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { testApi } from '#test/support/api.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { DatabaseProxy } from '#test/support/database-proxy.ts';

const pidOf = async (db: Pick<Db, 'get'>): Promise<number> =>
  (await db.get<{ pid: number }>(sql`select pg_backend_pid() as pid`))!.pid;

const terminate = (db: Db, pid: number): Promise<unknown> => db.all(sql`select pg_terminate_backend(${pid})`);

test('a connection that the server terminates fails only its own work, as unavailable', async (t) => {
  const database = await createTestDatabase('postgres');
  const { url } = database;
  const db = await openDb(url);
  t.after(() => db.close());
  t.after(() => database.drop());
  const admin = await openDb(url);
  t.after(() => admin.close());

  await t.test('between two statements of a transaction', async () => {
    const transaction = db.transaction(async (tx) => {
      await terminate(admin, await pidOf(tx));
      await pidOf(tx);
    });
    await assert.rejects(transaction, Unavailable);
    assert.ok((await pidOf(db)) > 0);
  });

  await t.test('between the last statement of a transaction and its commit', async () => {
    const { promise: pid, resolve: reportPid } = Promise.withResolvers<number>();
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const transaction = db.transaction(async (tx) => (reportPid(await pidOf(tx)), await mayCommit));
    await terminate(admin, await pid);
    commit();
    await assert.rejects(transaction, Unavailable);
  });

  await t.test('while a statement runs', async () => {
    const { promise: pid, resolve: reportPid } = Promise.withResolvers<number>();
    const running = db.transaction(async (tx) => {
      reportPid(await pidOf(tx));
      await tx.all(sql`select pg_sleep(30)`);
    });
    const failed = assert.rejects(running, Unavailable);
    await terminate(admin, await pid);
    await failed;
  });

  await t.test('while the connection is idle', async () => {
    await terminate(admin, await pidOf(db));
    for (let round = 0; round < 3; round++)
      await db.get(sql`select 1`).catch((error) => assert.ok(error instanceof Unavailable));
    assert.ok((await pidOf(db)) > 0);
  });
});

test('a connection that ends in the packet in which it becomes ready fails only its own work', async (t) => {
  const database = await createTestDatabase('postgres');
  const proxy = await DatabaseProxy.open(database.url);
  const db = await openDb(proxy.url, { timeoutMs: 60_000 });
  t.after(() => database.drop());
  t.after(() => proxy.close());
  t.after(() => db.close());
  proxy.terminates = true;
  await assert.rejects(
    db.transaction((tx) => pidOf(tx)),
    Unavailable,
  );
  await assert.rejects(db.snapshot(), Unavailable);
  await assert.rejects(pidOf(db), Unavailable);
  proxy.terminates = false;
  assert.ok((await db.transaction((tx) => pidOf(tx))) > 0);
});

test('a server that cannot be reached is unavailable', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
  const wrong = ['postgres://x@127.0.0.1:1/x', `postgres://x@localhost/x?host=${encodeURIComponent(folder)}`];
  for (const url of wrong) await assert.rejects(openDb(url), Unavailable);
  await rm(folder, { recursive: true });
});

test('the data API answers 503 during an outage of the database, and recovers', async (t) => {
  const database = await createTestDatabase('postgres');
  const proxy = await DatabaseProxy.open(database.url);
  const { get } = await testApi(t, proxy.url);
  t.after(() => proxy.close());
  t.after(() => database.drop());
  assert.equal((await get('/v1/servers')).status, 200);
  await proxy.stop();
  const replies = await Promise.all(Array.from({ length: 20 }, () => get('/v1/servers')));
  for (const { status, headers, json } of replies) {
    assert.equal(status, 503);
    assert.deepEqual(Object.keys(json), ['error', 'error_description']);
    assert.equal(json.error, 'temporarily_unavailable');
    assert.match(String(headers['retry-after']), /^\d+$/);
    for (const name of ['limit', 'remaining', 'reset']) assert.match(String(headers[`x-ratelimit-${name}`]), /^\d+$/);
    assert.equal(headers['access-control-allow-origin'], '*');
  }
  await proxy.start();
  assert.equal((await get('/v1/servers')).status, 200);
});

test('a locked SQLite file delays writers, not readers', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { url } = database;
  const db = await openDb(url);
  const other = await openDb(url);
  t.after(() => db.close());
  t.after(() => other.close());
  t.after(() => database.drop());
  const { promise: isLocked, resolve: reportLock } = Promise.withResolvers<void>();
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
  const holding = other.transaction(async () => (reportLock(), await mayCommit));
  await isLocked;
  const writing = db.migrating((tx) => tx.script('create table late (x bigint)'));
  assert.deepEqual(await db.tuples(sql`select 1`), [[1]]);
  commit();
  await Promise.all([holding, writing]);
  assert.deepEqual(await db.tuples(sql`select count(*) from late`), [[0]]);
});
