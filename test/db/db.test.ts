import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Cell, type Db, isUniqueViolation, type Queryable } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { onEachDatabase } from '#test/support/context.ts';

async function open(t: TestContext, url: string): Promise<Db> {
  const db = await openDb(url);
  t.after(() => db.close());
  return db;
}

async function counter(t: TestContext, url: string): Promise<Db> {
  const db = await open(t, url);
  await db.migrating((tx) => tx.script('create table tallies (name text primary key, count bigint not null)'));
  await db.run(sql`insert into tallies (name, count) values (${'a'}, ${0})`);
  return db;
}

const errorOf = async (work: Promise<unknown>): Promise<unknown> => await work.catch((error: unknown) => error);
const countOf = async (db: Pick<Db, 'get'>): Promise<number> =>
  (await db.get<{ count: number }>(sql`select count from tallies where name = 'a'`))!.count;

onEachDatabase('a closed database refuses reads and opens no connection again', async (_, url) => {
  const db = await openDb(url, { timeoutMs: 10_000 });
  const one = sql`select 1 as one`;
  assert.equal((await db.shortReads.get<{ one: number }>(one))?.one, 1);
  await db.close();
  await assert.rejects(db.shortReads.get(one));
  await assert.rejects(db.get(one));
});

onEachDatabase('values are read back unchanged', async (t, url) => {
  const db = await open(t, url);
  await db.migrating((tx) =>
    tx.script(
      'create table samples (key bigint primary key, words text, bytes bytea, ratio double precision) /*sqlite: strict*/',
    ),
  );
  const rows = [
    {
      key: Number.MAX_SAFE_INTEGER,
      words: "'; drop table samples; -- 🎮 \u2028",
      bytes: Buffer.from([0, 255]),
      ratio: 0.1,
    },
    { key: 0, words: '', bytes: Buffer.alloc(0), ratio: -1e300 },
    { key: -5, words: null, bytes: null, ratio: null },
  ];
  for (const { key, words, bytes, ratio } of rows)
    await db.run(sql`insert into samples (key, words, bytes, ratio) values (${key}, ${words}, ${bytes}, ${ratio})`);
  const found = await db.all<(typeof rows)[0]>(sql`select key, words, bytes, ratio from samples order by key desc`);
  assert.deepEqual(
    found.map((row) => ({ ...row, bytes: row.bytes && Buffer.from(row.bytes) })),
    rows,
  );
  assert.deepEqual(
    await db.tuples(sql`select key, words from samples where key in (${list([0, -5, 7])}) order by key`),
    [
      [-5, null],
      [0, ''],
    ],
  );
  const [sums] = await db.tuples(
    sql`select count(*), sum(key), max(key), coalesce(sum(key), 0) from samples where key < 1`,
  );
  assert.deepEqual(sums, [2, -5, 0, -5], 'counts and sums are numbers');
  assert.equal(await db.get(sql`select key from samples where key = 99`), undefined);
  assert.equal(await db.run(sql`update samples set words = ${'x'} where key < ${1}`), 2);
  const returned = await db.get<{ key: number }>(sql`delete from samples where key = ${-5} returning key`);
  assert.deepEqual({ ...returned }, { key: -5 });
  assert.deepEqual(await db.all(sql`select key from samples where key in (${list([])})`), []);
});

onEachDatabase('a transaction is all or nothing', async (t, url) => {
  const db = await counter(t, url);
  const failure = new Error('half-way');
  const half = db.transaction(async (tx) => {
    await tx.run(sql`update tallies set count = 1`);
    await tx.runAll([sql`insert into tallies (name, count) values ('b', 2)`]);
    assert.equal(await countOf(tx), 1, 'a transaction reads its own writes');
    throw failure;
  });
  await assert.rejects(half, failure);
  assert.equal(await countOf(db), 0);
  await assert.rejects(
    db.runAll([sql`update tallies set count = 5`, sql`insert into tallies (name, count) values ('a', 1)`]),
    isUniqueViolation,
  );
  assert.equal(await countOf(db), 0);
  assert.equal(await db.transaction(async (tx) => (await tx.run(sql`update tallies set count = 9`)) + 1), 2);
  assert.equal(await countOf(db), 9);
});

onEachDatabase('only a transaction that asks for it commits without a flush', async (t, url) => {
  const sqlite = !url.startsWith('postgres');
  // The tests' server commits without a flush by default.
  const db = await counter(t, sqlite ? url : `${url}${url.includes('?') ? '&' : '?'}options=-csynchronous_commit%3Don`);
  const durability = sqlite ? sql`pragma synchronous` : sql`show synchronous_commit`;
  const [durable, notDurable] = sqlite ? [2, 1] : ['on', 'off'];
  const read = async (tx: Queryable): Promise<Cell> => (await tx.tuple(durability))![0]!;
  const failing = db.transaction(
    async (tx) => {
      await tx.run(sql`update tallies set count = 7`);
      throw new Error(String(await read(tx)));
    },
    { durable: false },
  );
  const found = await Promise.all([
    db.transaction(read),
    db.transaction(read, { durable: false }),
    errorOf(failing).then((error) => (error as Error).message),
    db.transaction(read),
  ]);
  assert.deepEqual(found, [durable, notDurable, String(notDurable), durable]);
  assert.equal(await countOf(db), 0, 'a failed transaction is rolled back');
  await db.transaction((tx) => tx.run(sql`update tallies set count = 8`), { durable: false });
  assert.equal(await countOf(await open(t, url)), 8, 'other connections see the commit');
});

onEachDatabase('a reader never sees an open transaction', async (t, url) => {
  const db = await counter(t, url);
  const { promise: hasWritten, resolve: reportWrite } = Promise.withResolvers<void>();
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
  const transaction = db.transaction(async (tx) => {
    await tx.run(sql`update tallies set count = 1`);
    reportWrite();
    await mayCommit;
    await tx.run(sql`update tallies set count = 2`);
  });
  await hasWritten;
  assert.equal(await countOf(db), 0);
  assert.deepEqual(await db.tuples(sql`select count from tallies`), [[0]]);
  commit();
  await transaction;
  assert.equal(await countOf(db), 2);
});

onEachDatabase('a snapshot stays at one state, is read-only and does not block writers', async (t, url) => {
  const db = await counter(t, url);
  {
    await using snapshot = await db.snapshot();
    assert.equal(await countOf(snapshot), 0);
    await db.run(sql`update tallies set count = 1`);
    assert.equal(await countOf(db), 1, 'other readers see the new state');
    assert.deepEqual(await snapshot.tuples(sql`select count from tallies`), [[0]]);
    await assert.rejects(snapshot.run(sql`update tallies set count = 2`), /read-?only/);
  }
  await using later = await db.snapshot();
  assert.equal(await countOf(later), 1);
});

onEachDatabase('concurrent transactions lose no update', async (t, url) => {
  const db = await counter(t, url);
  const other = await open(t, url);
  const add = (where: Db): Promise<void> =>
    where.transaction(async (tx) => {
      await tx.run(sql`update tallies set count = count + 0 where name = 'a'`);
      const count = await countOf(tx);
      await new Promise(setImmediate);
      await tx.run(sql`update tallies set count = ${count + 1} where name = 'a'`);
    });
  await Promise.all(Array.from({ length: 40 }, (_, place) => add(place % 2 === 0 ? db : other)));
  assert.equal(await countOf(db), 40);
  assert.equal(await countOf(other), 40);
});

onEachDatabase('a failed statement does not affect later statements', async (t, url) => {
  const db = await counter(t, url);
  for (let round = 0; round < 10; round++) {
    await assert.rejects(db.run(sql`update nothing set x = 1`));
    await assert.rejects(db.all(sql`select nonsense from tallies`));
    await assert.rejects(db.transaction((tx) => tx.run(sql`insert into tallies (name, count) values ('a', 0)`)));
  }
  assert.equal(await countOf(db), 0);
});

async function selectMissingColumn(read: (query: Sql) => Promise<unknown>): Promise<unknown> {
  return await read(sql`select nonsense from tallies`);
}

onEachDatabase('the stack of an error shows its caller, and concurrent queries are not affected', async (t, url) => {
  const db = await counter(t, url);
  for (const read of [db.tuples.bind(db), db.all.bind(db)]) {
    const [wrong, right] = await Promise.all([errorOf(selectMissingColumn(read)), countOf(db)]);
    assert.match((wrong as Error).stack!, /nonsense[^]*selectMissingColumn/);
    assert.equal(right, 0);
  }
});

onEachDatabase('a violated unique constraint is distinguished from every other error', async (t, url) => {
  const db = await counter(t, url);
  assert.ok(isUniqueViolation(await errorOf(db.run(sql`insert into tallies (name, count) values ('a', 0)`))));
  assert.ok(!isUniqueViolation(await errorOf(db.run(sql`insert into tallies (name, count) values ('b', null)`))));
  assert.ok(!isUniqueViolation(await errorOf(db.run(sql`insert into nothing (name) values ('a')`))));
  assert.ok(!isUniqueViolation(new Error('x')));
  for (const nothing of [undefined, null, 'x']) assert.equal(isUniqueViolation(nothing), false);
});

onEachDatabase('a loop of awaited transactions gives the event loop turns', async (t, url) => {
  const db = await counter(t, url);
  let [turns, isOver] = [0, false];
  const next = (): void => {
    turns++;
    if (!isOver) setImmediate(next);
  };
  const until = performance.now() + 200;
  setImmediate(next);
  for (let count = 0; performance.now() < until; count++) await db.run(sql`update tallies set count = ${count}`);
  isOver = true;
  assert.ok(turns >= 2, `${turns} turns`);
});
