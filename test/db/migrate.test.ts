import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { UsageError } from '#base/errors.ts';
import { type Db, openDb } from '#db/db.ts';
import { migrate } from '#db/migrate.ts';
import { sql } from '#db/sql.ts';
import { receiptsAfter } from '#records/receipt-log.ts';
import { createTestDatabase, onEachEmptyDatabase } from '../support/hall.ts';

const SRC = join(import.meta.dirname, '../../src');
const FILES = readdirSync(join(SRC, 'db/migrations')).filter((name) => name.endsWith('.sql'));

/** Another process that opens the database, brings it up to date and closes it. */
const STARTER = `
  const { openDb } = await import(${JSON.stringify(`${SRC}/db/db.ts`)});
  const { migrate } = await import(${JSON.stringify(`${SRC}/db/migrate.ts`)});
  const db = await openDb(process.argv[1]);
  await migrate(db);
  await db.close();`;

const start = (url: string) => promisify(execFile)(process.execPath, ['--input-type=module', '-e', STARTER, url]);

onEachEmptyDatabase('migrations run once, also when four processes start together', async (t, url) => {
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

onEachEmptyDatabase('the database of a newer version is left alone', async (t, url) => {
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

onEachEmptyDatabase('a migration that fails leaves no trace', async (t, url) => {
  const db = await openDb(url);
  t.after(() => db.close());
  const broken = db.migrating(async (tx) => {
    await tx.script('create table half (x bigint); insert into half values (1); insert into nothing values (1)');
  });
  await assert.rejects(broken);
  await assert.rejects(db.all(sql`select x from half`));
});

test('a SQLite file that another process is busy with is waited for', async (t) => {
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

/** Brings an empty database up to a migration, as a program of that time has. */
async function migrateTo(db: Db, number: number): Promise<void> {
  await db.migrating(async (tx) => {
    await tx.script('create table migrations (number bigint primary key, name text not null)');
    for (const [place, name] of FILES.toSorted().slice(0, number).entries()) {
      await tx.script(readFileSync(join(SRC, 'db/migrations', name), 'utf8'));
      await tx.run(sql`insert into migrations (number, name) values (${place + 1}, ${name})`);
    }
  });
}

onEachEmptyDatabase('what was taken under an index of all events is found without it', async (t, url) => {
  const db = await openDb(url);
  t.after(() => db.close());
  await migrateTo(db, 20);
  const told = [
    ['match.finished', null],
    ['player.login', null],
    ['match.finished', 9],
    ['player.login', 9],
    ['match.finished', null],
  ] as const;
  for (const [place, [type, withdrawn]] of told.entries()) {
    const key = place + 1;
    await db.run(sql`
      insert into ledger (key, scope_key, event_id, type, time, received, body, withdrawn)
      values (${key}, 1, ${`e${key}`}, ${type}, 0, 0, '{}', ${withdrawn})`);
    if (type !== 'match.finished' || withdrawn !== null) continue;
    await db.run(sql`
      insert into matches (key, head, started, finished, map_key, server_key, gamemode)
      values (${key}, '{}', 0, 0, 'x', 1, 'tdm')`);
  }
  await migrate(db);
  const receipts = await receiptsAfter(db, 1, 0, 10);
  assert.deepEqual(
    receipts.map(({ id, status }) => `${id} ${status}`),
    ['e1 accepted', 'e2 accepted', 'e3 withdrawn', 'e4 withdrawn', 'e5 accepted'],
  );
});

onEachEmptyDatabase(
  'under which name an event has seen a player is kept where it may be several names',
  async (t, url) => {
    const db = await openDb(url);
    t.after(() => db.close());
    await migrateTo(db, 24);
    await db.run(sql`
    insert into players (key, uuid, name, name_key, name_since, last_login_server)
    values (1, 'one', 'Ada', 'ada', 5, '')`);
    await db.run(sql`insert into player_sightings (player_key, ledger_key, time, name) values (1, 7, 5, 'Ada')`);
    await migrate(db);
    await db.run(sql`insert into player_sightings (player_key, ledger_key, time, name) values (1, 7, 5, 'Bob')`);
    const rows = async (): Promise<unknown> =>
      await db.tuples(sql`select player_key, ledger_key, time, name from player_sightings order by name`);
    assert.deepEqual(await rows(), [
      [1, 7, 5, 'Ada'],
      [1, 7, 5, 'Bob'],
    ]);
    await db.run(sql`delete from players where key = 1`);
    assert.deepEqual(await rows(), []);
  },
);
