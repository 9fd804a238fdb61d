import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { migrate } from '#db/migrate.ts';
import { Sql, sql } from '#db/sql.ts';
import { type WrittenTable, writtenTables } from './written-tables.ts';

/** Tables with the rows that matches refer to. */
const REFERENCED = ['servers', 'players', 'player_stats'];
const ROWS_PER_BATCH = 100;
const MATCHES_PER_BATCH = 200;

type Row = Record<string, string | number | null>;

/**
 * Brings the database of the baseline into the state that the service's database had after the warm-up: the players and
 * servers of the matches, and all matches of the warm-up, so that the B-trees have the same size.
 * @param warmUp the number of matches of the warm-up
 * @returns the key of the last one
 */
export async function baselineSetup(url: string, other: string, warmUp: number): Promise<number> {
  await using from = await openDb(url);
  await using to = await openDb(other);
  await migrate(to);
  for (const table of REFERENCED) await copy(to, table, await from.all(new Sql([`select * from ${table}`], [])));
  const keys = (await from.tuples(sql`select key from matches order by key limit ${warmUp}`)).map(([key]) =>
    Number(key),
  );
  const tables = await writtenTables(from);
  for (let start = 0; start < keys.length; start += MATCHES_PER_BATCH) {
    await copyMatches(from, to, tables, keys.slice(start, start + MATCHES_PER_BATCH));
  }
  return keys.at(-1)!;
}

async function copyMatches(from: Db, to: Db, tables: readonly WrittenTable[], keys: readonly number[]): Promise<void> {
  for (const { table, owner } of tables) {
    const text = [`select * from ${table} where ${owner} between `, ' and ', ''];
    await copy(to, table, await from.all(new Sql(text, [keys[0]!, keys.at(-1)!])));
  }
}

async function copy(to: Db, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const strings = [`insert into ${table} (${columns.join(', ')}) values (`, ...columns.slice(1).map(() => ', '), ')'];
  for (let start = 0; start < rows.length; start += ROWS_PER_BATCH) {
    await to.runAll(rows.slice(start, start + ROWS_PER_BATCH).map((row) => new Sql(strings, Object.values(row))));
  }
}
