import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { UsageError } from '#platform/errors.ts';
import { openDb } from '#db/open.ts';
import { migrate } from '#db/migrate.ts';
import { sql } from '#db/sql.ts';
import { createTestDatabase, onEachEmptyDatabase } from '#test/support/context.ts';

const SRC = join(import.meta.dirname, '../../src');
const FILES = readdirSync(join(SRC, 'db/migrations')).filter((name) => name.endsWith('.sql'));

/** A program that migrates the database, run as another process. */
const STARTER = `
  const { openDb } = await import(${JSON.stringify(`${SRC}/db/open.ts`)});
  const { migrate } = await import(${JSON.stringify(`${SRC}/db/migrate.ts`)});
  const db = await openDb(process.argv[1]);
  await migrate(db);
  await db.close();`;

const start = (url: string) => promisify(execFile)(process.execPath, ['--input-type=module', '-e', STARTER, url]);

onEachEmptyDatabase('migrations run once, even when four processes start together', async (t, url) => {
  await Promise.all([start(url), start(url), start(url), start(url)]);
  const db = await openDb(url);
  t.after(() => db.close());
  const rows = await db.tuples(sql`select number, name from migrations order by number`);
  assert.deepEqual(
    rows,
    FILES.toSorted().map((name, place) => [place + 1, name]),
  );
  await migrate(db);
  assert.deepEqual(await db.tuples(sql`select last from sequence where name = 'key'`), [[0]]);
});

onEachEmptyDatabase('the database of a newer version is refused', async (t, url) => {
  const db = await openDb(url);
  t.after(() => db.close());
  await migrate(db);
  await db.run(sql`insert into migrations (number, name) values (${FILES.length + 1}, ${'999-future.sql'})`);
  await assert.rejects(migrate(db), (error) => {
    assert.ok(error instanceof UsageError);
    assert.match(error.message, new RegExp(`migration ${FILES.length + 1}.*${FILES.length}.*newer`));
    return true;
  });
});

onEachEmptyDatabase('a failed migration is rolled back', async (t, url) => {
  const db = await openDb(url);
  t.after(() => db.close());
  const broken = db.migrating(async (tx) => {
    await tx.script('create table half (x bigint); insert into half values (1); insert into nothing values (1)');
  });
  await assert.rejects(broken);
  await assert.rejects(db.all(sql`select x from half`));
});

test('opening a SQLite file waits until another process releases its lock', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { url } = database;
  const busy = new DatabaseSync(url);
  busy.exec('begin exclusive; create table other (x)');
  const opening = openDb(url);
  await new Promise(setImmediate);
  busy.exec('commit');
  busy.close();
  const db = await opening;
  await migrate(db);
  assert.deepEqual(await db.tuples(sql`select last from sequence where name = 'key'`), [[0]]);
  await db.close();
  t.after(() => database.drop());
});

onEachEmptyDatabase('the database of a version before the baseline is refused and keeps its tables', async (t, url) => {
  const db = await openDb(url);
  t.after(() => db.close());
  await db.migrating(async (tx) => {
    await tx.script('create table migrations (number bigint primary key, name text not null)');
    await tx.script("insert into migrations (number, name) values (1, '001-network.sql'), (2, '002-accounts.sql')");
  });
  await assert.rejects(migrate(db), (error) => {
    assert.ok(error instanceof UsageError);
    assert.match(error.message, /before the first release.*`scorehall export events FILE`/);
    return true;
  });
  assert.equal((await db.all(sql`select number from migrations`)).length, 2);
  await assert.rejects(db.all(sql`select key from matches`));
});

const auditEntry = (id: string, time: number): ReturnType<typeof sql> => sql`
  insert into audit (id, time, via, actor_id, actor, actor_key, address, action, subject, label, outcome, detail)
  values (${id}, ${time}, 'command', null, '', '', '', 'x', '', '', 'done', '{}')`;

onEachEmptyDatabase('a filled database starts with the time of its newest entry as the last purge', async (t, url) => {
  const db = await openDb(url);
  t.after(() => db.close());
  await db.migrating(async (tx) => {
    await tx.script('create table migrations (number bigint primary key, name text not null)');
    await tx.script(readFileSync(join(SRC, 'db/migrations/001-baseline.sql'), 'utf8'));
    await tx.script("insert into migrations (number, name) values (1, '001-baseline.sql')");
  });
  await db.run(auditEntry('a', 1000));
  await db.run(auditEntry('b', 2000));
  await migrate(db);
  assert.deepEqual(await db.tuples(sql`select name, completed from job_runs`), [['purge', 2000]]);
});
