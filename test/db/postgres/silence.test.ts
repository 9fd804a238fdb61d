import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '#platform/errors.ts';
import type { Db, Queryable } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { Connections } from '#db/postgres/connections.ts';
import { sql } from '#db/sql.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { DatabaseProxy } from '#test/support/database-proxy.ts';

const TIMEOUT_MS = 400;
/** Fails a test that waits as long as TCP does. */
const LIMITED = { timeout: 20_000 };

interface World {
  proxy: DatabaseProxy;
  db: Db;
  /** The same database without the proxy. */
  direct: Db;
}

async function open(t: TestContext): Promise<World> {
  const database = await createTestDatabase('postgres');
  const proxy = await DatabaseProxy.open(database.url);
  const db = await openDb(proxy.url, { timeoutMs: TIMEOUT_MS });
  const direct = await openDb(database.url);
  t.after(async () => {
    // Breaks the connections, so that closing never waits.
    await proxy.close();
    await Promise.all([db.close(), direct.close()]);
    await database.drop();
  });
  return { proxy, db, direct };
}

/** In characters: the system does not accept as much of a statement before the proxy reads it. */
const LONGER_THAN_BUFFERS = 4_000_000;

/** The attempts to connect to a socket file while the work runs; a name would be looked up for each. */
async function connectionAttempts(work: () => Promise<void>): Promise<number> {
  let attempts = 0;
  const hook = createHook({ init: (_id, type) => void (type === 'PIPECONNECTWRAP' && attempts++) }).enable();
  await work().finally(() => hook.disable());
  return attempts;
}

const read = (db: Queryable): Promise<unknown> => db.get(sql`select 1`);

const lengthOf = (db: Queryable, text: string): Promise<unknown> => db.tuple(sql`select length(${text}::text)`);

const isAvailable = (db: Db): Promise<boolean> =>
  read(db).then(
    () => true,
    (error) => {
      assert.ok(error instanceof Unavailable);
      return false;
    },
  );

/** Leaves the processor to others between two looks. */
const lookAgain = (db: Queryable): Promise<unknown> => db.get(sql`select pg_sleep(0.01)`);

/** A transaction that has started, and runs `last` after `proceed`. */
async function pausedTransaction(db: Db, last: (tx: Queryable) => Promise<unknown>) {
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  const { promise: pause, resolve: proceed } = Promise.withResolvers<void>();
  const transaction = db.transaction(async (tx) => {
    await read(tx);
    start();
    await pause;
    await last(tx);
  });
  await started;
  return { transaction, proceed };
}

/** Opens the connections of all kinds. */
async function useEverything({ db, direct }: Pick<World, 'db' | 'direct'>): Promise<void> {
  await Promise.all([db.tuple(sql`select 1`), db.tuple(sql`select 2`), read(db)]);
  while (db.versions().credentials === undefined) await lookAgain(direct);
}

test(
  'a silent server is unavailable on every path, then at once, and available without a restart',
  LIMITED,
  async (t) => {
    const { proxy, db, direct } = await open(t);
    await useEverything({ db, direct });
    const { transaction, proceed } = await pausedTransaction(db, read);
    const job = await pausedTransaction(db.withoutTimeout(), read);
    proxy.silence();
    proceed();
    job.proceed();
    const paths: Promise<unknown>[] = [
      transaction,
      job.transaction,
      db.withoutTimeout().tuple(sql`select 1`),
      db.tuple(sql`select 1`),
      read(db),
      db.run(sql`delete from migrations where number < 0`),
      db.transaction(read),
      db.snapshot(),
      // More than the pool has connections.
      ...Array.from({ length: 20 }, () => read(db)),
    ];
    await Promise.all(paths.map((path) => assert.rejects(path, Unavailable)));
    assert.equal(db.versions().credentials, undefined);

    const attempts = await connectionAttempts(async () => {
      for (let round = 0; round < 20; round++) await assert.rejects(read(db), Unavailable);
    });
    // Checks of the server, of which one may have ended meanwhile, and what the proxy opens for them.
    assert.ok(attempts <= 4, `${attempts} attempts to connect`);

    proxy.resume();
    while (!(await isAvailable(db))) await lookAgain(direct);
    await useEverything({ db, direct });
    const sessions = sql`select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in%'`;
    while ((await direct.tuple(sessions))![0] !== 0) await lookAgain(direct);
  },
);

test('a connection that alone is silent ends, a statement that takes long does not', LIMITED, async (t) => {
  const { proxy, db, direct } = await open(t);
  await useEverything({ db, direct });
  const { transaction, proceed } = await pausedTransaction(db, (tx) =>
    tx.run(sql`delete from migrations where number < 0`),
  );
  proxy.silenceOpen();
  proceed();
  const sleep = sql`select pg_sleep(${(4 * TIMEOUT_MS) / 1000}) is null as slept`;
  const long = db.withoutTimeout().transaction((tx) => tx.get(sleep));
  await assert.rejects(transaction, Unavailable);
  await assert.rejects(db.tuple(sql`select 1`), Unavailable);
  assert.deepEqual(await long, { slept: false });
  assert.deepEqual(await db.tuple(sql`select 1`), [1]);
});

test('a statement that takes long to send does not end its connection', LIMITED, async (t) => {
  const { proxy, db } = await open(t);
  const sent = db.withoutTimeout().transaction(async (tx) => {
    // The server has parsed the statement, and knows nothing of the next one until it has arrived whole.
    await lengthOf(tx, '');
    proxy.silenceOpen();
    return await lengthOf(tx, 'x'.repeat(LONGER_THAN_BUFFERS));
  });
  // The connection of the transaction and two checks: the second one begins when the first one has not ended it.
  const checkedTwice = proxy.untilConnections(proxy.connections + 3).then(() => proxy.resume());
  const [received] = await Promise.all([sent, checkedTwice]);
  assert.deepEqual(received, [LONGER_THAN_BUFFERS]);
});

test('a server that serves its connections but accepts no new one is not silent', LIMITED, async (t) => {
  const { proxy, db } = await open(t);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: inTransaction, resolve: entered } = Promise.withResolvers<void>();
  const other = db.transaction(async (tx) => {
    entered();
    for (let over = false; !over; over = await Promise.race([ended.then(() => true), lookAgain(tx).then(() => false)]));
  });
  await inTransaction;
  const long = db.withoutTimeout().transaction(async (tx) => {
    await read(tx);
    proxy.silenceNew();
    return await tx.get(sql`select pg_sleep(${(4 * TIMEOUT_MS) / 1000}) is null as slept`);
  });
  assert.deepEqual(await long, { slept: false });
  end();
  await other;
});

test('a statement that takes long does not end its connection if it may', LIMITED, async (t) => {
  const { db } = await open(t);
  const sleep = sql`select pg_sleep(${(3 * TIMEOUT_MS) / 1000}) is null as slept`;
  assert.deepEqual(await db.withoutTimeout().get(sleep), { slept: false });
  await using snapshot = await db.withoutTimeout().snapshot();
  assert.deepEqual(await snapshot.get(sleep), { slept: false });
});

test('snapshots of requests use the connections of the pool, and have their time-out', LIMITED, async (t) => {
  const { db } = await open(t);
  const pidOf = async (work?: (snapshot: Queryable) => Promise<unknown>): Promise<number> => {
    await using snapshot = await db.snapshot();
    const [pid] = (await snapshot.tuple(sql`select pg_backend_pid()`)) as [number];
    await work?.(snapshot);
    return pid;
  };
  const first = await pidOf();
  assert.equal(await pidOf((snapshot) => assert.rejects(snapshot.get(sql`select 1 / 0`), /division/)), first);
  assert.equal(await db.transaction(idleLimit), '1min', 'nothing of the snapshot is left');
  const sleep = sql`select pg_sleep(${(3 * TIMEOUT_MS) / 1000})`;
  assert.equal(await pidOf((snapshot) => assert.rejects(snapshot.get(sleep), Unavailable)), first);
  assert.notEqual(await pidOf(), first, 'it waits for an old answer');
});

test(
  'a statement of a request that takes longer than the limit is unavailable, and ends only its connection',
  LIMITED,
  async (t) => {
    const { db, direct } = await open(t);
    const pid = sql`select pg_backend_pid() as pid`;
    const sleep = sql`select pg_sleep(${(3 * TIMEOUT_MS) / 1000})`;
    const { transaction, proceed } = await pausedTransaction(db, read);
    await assert.rejects(db.get(sleep), Unavailable);
    await assert.rejects(db.tuple(sleep), Unavailable);
    const ended = await pausedTransaction(db, (tx) => tx.run(sleep));
    ended.proceed();
    await assert.rejects(ended.transaction, Unavailable);
    proceed();
    await transaction;
    // No session is left with a transaction, and no connection that waits for an old answer is used again.
    assert.equal(typeof (await db.tuple(pid))?.[0], 'number');
    const left = sql`select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in%'`;
    while ((await direct.tuple(left))![0] !== 0) await lookAgain(direct);
  },
);

test('a statement of a command outlasts a silence of three seconds', LIMITED, async (t) => {
  const { proxy } = await open(t);
  const connections = new Connections({
    config: { connectionString: proxy.url },
    hosts: undefined,
    timeoutMs: 60_000,
    keepsSession: true,
  });
  const client = connections.open();
  await client.connect();
  const statement = client.query('select 1 as one');
  proxy.silence();
  // Sends the first probe, as half a minute without an answer does.
  await assert.rejects(connections.translateOutage(Promise.reject(new Error('timeout'))), Unavailable);
  await pause(3_200);
  proxy.resume();
  assert.deepEqual((await statement).rows, [{ one: 1 }]);
  void client.end();
  await connections.close();
});

test('a database closes while its server is silent', LIMITED, async (t) => {
  const { proxy, db, direct } = await open(t);
  await useEverything({ db, direct });
  proxy.silence();
  await db.close();
  db.close = () => Promise.resolve();
});

test('a silent server cannot be opened', LIMITED, async (t) => {
  const { proxy } = await open(t);
  proxy.silence();
  await assert.rejects(openDb(proxy.url, { timeoutMs: TIMEOUT_MS }), Unavailable);
});

test('a network that cannot be reached is unavailable', LIMITED, async () => {
  // Connections to a multicast address do not exist.
  await assert.rejects(openDb('postgres://x@224.0.0.1/x'), Unavailable);
});

const idleLimit = async (db: Queryable): Promise<unknown> =>
  (await db.tuple(sql`select current_setting('idle_in_transaction_session_timeout')`))![0];

function withIdleLimit(databaseUrl: string, limit: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', `-c idle_in_transaction_session_timeout=${limit}`);
  return url.href;
}

test('the server ends the sessions of clients that have vanished, unless the operator says when', async (t) => {
  const database = await createTestDatabase('postgres');
  t.after(() => database.drop());
  await using db = await openDb(database.url);
  assert.equal(await db.transaction(idleLimit), '1min');
  assert.equal((await db.tuple(sql`select current_setting('client_connection_check_interval')`))![0], '10s');
  {
    await using snapshot = await db.snapshot();
    assert.equal(await idleLimit(snapshot), '0');
  }
  await using own = await openDb(withIdleLimit(database.url, '20ms'));
  const idle = own.transaction(async (tx) => {
    assert.equal(await idleLimit(tx), '20ms');
    const [pid] = (await tx.tuple(sql`select pg_backend_pid()`)) as [number];
    while ((await db.get(sql`select 1 from pg_stat_activity where pid = ${pid}`)) !== undefined) await lookAgain(db);
    await read(tx);
  });
  await assert.rejects(idle, Unavailable);
});
