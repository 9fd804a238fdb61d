import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Bulk } from '#bench/bulk/bulk.ts';
import { BulkPostgres } from '#bench/bulk/postgres.ts';
import { BulkSqlite } from '#bench/bulk/sqlite.ts';
import { fillMatches, ingestOpening } from '#bench/filling.ts';
import { generated } from '#bench/generated.ts';
import { BenchHistory, END } from '#bench/generated-history.ts';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { migrate } from '#db/migrate.ts';
import { identifier, sql } from '#db/sql.ts';
import { projectMatches } from '#store/game/leaderboard-projection.ts';
import { readEvent } from '#events/schema.ts';
import { ingestEvents } from '#events/ledger.ts';
import { createTestDatabase, type Dialect, onEachDatabase } from '#test/support/context.ts';

const season = (): BenchHistory => new BenchHistory('test', 700, 150);

onEachDatabase(
  'what is filled in at once is what taking the events one by one gives, table by table',
  async (t, url, dialect) => {
    {
      await using db = await openDb(url);
      await migrate(db);
      await ingestOpening(db, season());
    }
    {
      await using bulk = await openBulk(dialect, url);
      await fillMatches(bulk, season(), () => undefined);
      await bulk.finish();
    }
    const other = await createTestDatabase(dialect);
    t.after(() => other.drop());
    await ingestOneByOne(other.url);
    await using filled = await openDb(url);
    await using accepted = await openDb(other.url);
    assert.notEqual(await databaseIdIn(filled), await databaseIdIn(accepted));
    const tables = await tablesOf(filled);
    assert.ok(tables.length > 20 && tables.includes('player_matches'));
    for (const table of tables) assert.deepEqual(await rowsOf(filled, table), await rowsOf(accepted, table), table);
    assert.deepEqual(await indexesOf(filled), await indexesOf(accepted));
    for (const table of ['kills', 'boards', 'map_results']) assert.ok((await rowsOf(filled, table)).length > 0, table);
  },
);

/** Which database it is: the one thing that two of them never share. */
async function databaseIdIn(db: Db): Promise<number> {
  const [origin] = await db.all<{ value: number }>(sql`select value from data_versions where name = 'database'`);
  await db.run(sql`update data_versions set value = 0 where name = 'database'`);
  return origin!.value;
}

async function openBulk(dialect: Dialect, url: string): Promise<Bulk> {
  return dialect === 'sqlite' ? new BulkSqlite(url) : await BulkPostgres.open(url);
}

async function ingestOneByOne(url: string): Promise<void> {
  await using db = await openDb(url);
  await migrate(db);
  await ingestOpening(db, season());
  for (const block of season().blocks()) {
    const events = block.map(({ wire }) => wire);
    const receipts = await ingestEvents(db, { now: () => END }, { kind: 'operator' }, events);
    assert.ok(receipts.every(({ status }) => status === 'accepted'));
  }
  while (await projectMatches(db, 'UTC', END));
}

async function tablesOf(db: Db): Promise<string[]> {
  const rows =
    db.dialect === 'sqlite'
      ? await db.all<{ name: string }>(sql`select name from sqlite_schema where type = 'table'`)
      : await db.all<{ name: string }>(
          sql`select table_name as name from information_schema.tables where table_schema = 'public'`,
        );
  return rows.map(({ name }) => name);
}

async function indexesOf(db: Db): Promise<string[]> {
  const rows =
    db.dialect === 'sqlite'
      ? await db.all<{ text: string }>(
          sql`select name || coalesce(sql, '') as text from sqlite_schema where type = 'index'`,
        )
      : await db.all<{ text: string }>(sql`select indexdef as text from pg_indexes where schemaname = 'public'`);
  return rows.map(({ text }) => text).sort();
}

async function rowsOf(db: Db, table: string): Promise<string[]> {
  return (await db.all(sql`select * from ${identifier(table)}`)).map((row) => JSON.stringify(row)).sort();
}

test('what is sent and what is read of a match say the same, and the same seed gives the same', () => {
  const [first, again] = [season(), season()].map((each) => [...each.blocks()].flat());
  assert.equal(first!.length, 700);
  assert.deepEqual(first, again);
  for (const { wire, event } of first!) assert.deepEqual(readEvent(wire), { event });
  const counts = first!.map(({ event }) => event.data.teams.reduce((sum, { players }) => sum + players.length, 0));
  assert.deepEqual([Math.min(...counts), Math.max(...counts)], [5, 30]);
  const other = new BenchHistory('other', 1, 150);
  assert.notDeepEqual(other.players, season().players);
});

function halfway(): never {
  throw new Error('broken off');
}

test('a file is complete or not there, kept for reuse, and nothing else is taken for it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-bench-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const wanted = { matches: 20, players: 40, seed: 's', database: join(folder, 'm.db') };
  const received: number[] = [];
  assert.deepEqual(await generated(wanted, (done) => received.push(done)), { url: wanted.database, kept: false });
  assert.deepEqual(received, [20]);
  assert.equal((await generated(wanted, () => assert.fail())).kept, true);
  await assert.rejects(
    generated({ ...wanted, matches: 21 }, () => undefined),
    /holds something else than 21 matches/,
  );
  const broken = { ...wanted, database: join(folder, 'broken.db') };
  await assert.rejects(generated(broken, halfway), /broken off/);
  assert.equal((await generated(broken, () => undefined)).kept, false, 'a half-made one is made anew');
  await writeFile(join(folder, 'text.db'), 'no database');
  await assert.rejects(generated({ ...wanted, database: join(folder, 'text.db') }, () => undefined));
});

test('a PostgreSQL database is made once, made anew when it was broken off, and left alone when it is not ours', async (t) => {
  const database = await createTestDatabase('postgres');
  t.after(() => database.drop());
  const wanted = { matches: 20, players: 40, seed: 's', database: database.url };
  await assert.rejects(generated(wanted, halfway), /broken off/);
  assert.equal((await generated(wanted, () => undefined)).kept, false);
  assert.equal((await generated(wanted, () => assert.fail())).kept, true);
  await assert.rejects(
    generated({ ...wanted, seed: 'x' }, () => undefined),
    /holds 20 matches/,
  );
  const own = await createTestDatabase('postgres');
  t.after(() => own.drop());
  {
    await using db = await openDb(own.url);
    await migrate(db);
  }
  await assert.rejects(
    generated({ ...wanted, database: own.url }, () => undefined),
    /holds something else/,
  );
});
