import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Bulk } from '#bench/bulk/bulk.ts';
import { BulkPostgres } from '#bench/bulk/postgres.ts';
import { BulkSqlite } from '#bench/bulk/sqlite.ts';
import { fillMatches, ingestOpening } from '#bench/filling.ts';
import { generateDatabase } from '#bench/generated.ts';
import { BenchHistory, END } from '#bench/generated-history.ts';
import type { Db } from '#db/db.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { migrate } from '#db/migrate.ts';
import { identifier, sql } from '#db/sql.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { projectRivals } from '#store/game/rivals/rival-projection.ts';
import { readEvent } from '#events/schema/index.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { createEmptyDatabase, type Dialect, onEachDatabase } from '#test/support/context.ts';

/** One match more than a block. */
const history = (): BenchHistory => new BenchHistory('test', 151, 150, 150);

onEachDatabase(
  'bulk filling writes the same rows in every table as ingesting the events one by one',
  async (t, url, dialect) => {
    {
      await using db = await openDb(url, { keyedHash: secretHash });
      await migrate(db);
      await ingestOpening(db, history());
    }
    {
      await using bulk = await openBulk(dialect, url);
      await fillMatches(bulk, history(), () => undefined);
      await bulk.finish();
    }
    const other = await createEmptyDatabase(dialect);
    t.after(() => other.drop());
    await ingestOneByOne(other.url);
    await using filled = await openDb(url, { keyedHash: secretHash });
    await using accepted = await openDb(other.url, { keyedHash: secretHash });
    assert.notEqual(await takeDatabaseId(filled), await takeDatabaseId(accepted));
    const tables = await tablesOf(filled);
    assert.ok(tables.length > 20 && tables.includes('player_matches'));
    for (const table of tables) assert.deepEqual(await rowsOf(filled, table), await rowsOf(accepted, table), table);
    assert.deepEqual(await indexesOf(filled), await indexesOf(accepted));
    for (const table of ['kills', 'boards', 'map_results', 'kill_pairs', 'player_records'])
      assert.ok((await rowsOf(filled, table)).length > 0, table);
  },
);

/** Reads the database id and sets it and that of the feed to 0, because they always differ between two databases. */
async function takeDatabaseId(db: Db): Promise<number> {
  const [id] = await db.all<{ value: number }>(sql`select value from data_versions where name = 'database'`);
  await db.run(sql`update data_versions set value = 0 where name = 'database'`);
  await db.run(sql`update change_feed set id = '0'`);
  return id!.value;
}

async function openBulk(dialect: Dialect, url: string): Promise<Bulk> {
  return dialect === 'sqlite' ? new BulkSqlite(url) : await BulkPostgres.open(url);
}

async function ingestOneByOne(url: string): Promise<void> {
  await using db = await openDb(url, { keyedHash: secretHash });
  await migrate(db);
  await ingestOpening(db, history());
  for (const block of history().blocks()) {
    const events = block.map(({ wire }) => wire);
    const receipts = await ingestEvents(db, { now: () => END }, { kind: 'operator' }, events);
    assert.ok(receipts.every(({ status }) => status === 'accepted'));
  }
  while (await projectMatches(db, 'UTC', END));
  while (await projectRivals(db));
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

test('a generated match parses to its parsed form, and a seed always gives the same history', () => {
  const [first, again] = [history(), history()].map((each) => [...each.blocks()].flat());
  assert.equal(first!.length, 151);
  assert.deepEqual(first, again);
  for (const { wire, event } of first!) assert.deepEqual(readEvent(wire), { event });
  const counts = first!.map(({ event }) => event.data.teams.reduce((sum, { players }) => sum + players.length, 0));
  assert.deepEqual([Math.min(...counts), Math.max(...counts)], [5, 30]);
  const other = new BenchHistory('other', 1, 150);
  assert.notDeepEqual(other.players, history().players);
});

/** A progress callback that interrupts the generation. */
function interrupt(): never {
  throw new Error('interrupted');
}

test('a generated file is complete or absent, is reused, and is never mistaken for another file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-bench-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const wanted = { matches: 20, players: 40, seed: 's', database: join(folder, 'm.db') };
  const received: number[] = [];
  assert.deepEqual(await generateDatabase(wanted, (done) => received.push(done)), {
    url: wanted.database,
    reused: false,
  });
  assert.deepEqual(received, [20]);
  assert.equal((await generateDatabase(wanted, () => assert.fail())).reused, true);
  await assert.rejects(
    generateDatabase({ ...wanted, matches: 21 }, () => undefined),
    /does not contain 21 matches/,
  );
  const broken = { ...wanted, database: join(folder, 'broken.db') };
  await assert.rejects(generateDatabase(broken, interrupt), /interrupted/);
  assert.equal((await generateDatabase(broken, () => undefined)).reused, false, 'an incomplete one is generated again');
  await writeFile(join(folder, 'text.db'), 'no database');
  await assert.rejects(generateDatabase({ ...wanted, database: join(folder, 'text.db') }, () => undefined));
});

test('a PostgreSQL database is generated once, again after an interruption, and never over other data', async (t) => {
  const database = await createEmptyDatabase('postgres');
  t.after(() => database.drop());
  const wanted = { matches: 20, players: 40, seed: 's', database: database.url };
  await assert.rejects(generateDatabase(wanted, interrupt), /interrupted/);
  assert.equal((await generateDatabase(wanted, () => undefined)).reused, false);
  assert.equal((await generateDatabase(wanted, () => assert.fail())).reused, true);
  await assert.rejects(
    generateDatabase({ ...wanted, seed: 'x' }, () => undefined),
    /contains 20 matches/,
  );
  const own = await createEmptyDatabase('postgres');
  t.after(() => own.drop());
  {
    await using db = await openDb(own.url, { keyedHash: secretHash });
    await migrate(db);
  }
  await assert.rejects(
    generateDatabase({ ...wanted, database: own.url }, () => undefined),
    /contains data that was not generated/,
  );
});
