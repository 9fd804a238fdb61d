import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { migrate } from '#db/migrate.ts';
import { sql } from '#db/sql.ts';
import type { Bulk } from './bulk/bulk.ts';
import { fillMatches, ingestOpening } from './filling.ts';
import { BenchHistory } from './generated-history.ts';

export interface Wanted {
  matches: number;
  seed: string;
  /** A SQLite file or a PostgreSQL URL; a file under data/bench when left out. */
  database?: string | undefined;
  /** How many play; 20,000 when left out. */
  players?: number;
}

export type Progress = (matches: number) => void;

/** Raise this when what is generated changes, so that what was kept is made anew. */
const RENDER_VERSION = 2;

/**
 * A database with so many matches, made now or kept from before; a half-made one is never taken.
 * @returns its URL, and whether it was kept
 * @throws UsageError when the database holds something else
 */
export async function generated(wanted: Wanted, progress: Progress): Promise<{ url: string; kept: boolean }> {
  const url = wanted.database ?? fileOf(wanted);
  const cached = /^postgres(ql)?:/.test(url)
    ? await inPostgres(url, wanted, progress)
    : await inFile(url, wanted, progress);
  return { url, kept: cached };
}

function fileOf({ matches, seed }: Wanted): string {
  return `data/bench/matches-${matches}${seed === DEFAULT_SEED ? '' : `-${seed.replaceAll(/\W/g, '_')}`}.db`;
}

export const DEFAULT_SEED = 'bench';

/** A file gets its name when it is complete. */
async function inFile(url: string, wanted: Wanted, progress: Progress): Promise<boolean> {
  const path = url.replace(/^(sqlite|file):(\/\/)?/, '');
  if (existsSync(path)) {
    await using db = await openDb(path);
    if (await isSame(db, wanted)) return true;
    throw new UsageError(`${path} holds something else than ${nameOf(wanted)}: remove it or name another file.`);
  }
  const partial = `${path}.partial`;
  mkdirSync(dirname(path), { recursive: true });
  for (const end of ['', '-wal', '-shm']) rmSync(partial + end, { force: true });
  await fill(partial, wanted, progress, async () => new (await import('./bulk/sqlite.ts')).BulkSqlite(partial));
  renameSync(partial, path);
  return false;
}

/** A PostgreSQL database is marked at the beginning as ours to throw away, and at the end as complete. */
async function inPostgres(url: string, wanted: Wanted, progress: Progress): Promise<boolean> {
  await using db = await openDb(url);
  if (await isSame(db, wanted)) return true;
  const mark = await markOf(db);
  if (mark === undefined && !(await isEmpty(db))) {
    throw new UsageError(`The database holds something else than generated matches: name an empty one.`);
  }
  if (mark?.complete === 1)
    throw new UsageError(`The database holds ${mark.name}, not ${nameOf(wanted)}: name an empty one.`);
  if (mark !== undefined) await db.run(sql`drop schema public cascade`);
  await db.run(sql`create schema if not exists public`);
  await fill(url, wanted, progress, async () => await (await import('./bulk/postgres.ts')).BulkPostgres.open(url));
  return false;
}

async function fill(url: string, wanted: Wanted, progress: Progress, open: () => Promise<Bulk>): Promise<void> {
  const history = new BenchHistory(wanted.seed, wanted.matches, wanted.players);
  {
    await using db = await openDb(url);
    await db.run(sql`create table generated_matches (name text primary key, complete bigint not null)`);
    await db.run(sql`insert into generated_matches (name, complete) values (${nameOf(wanted)}, 0)`);
    await migrate(db);
    await ingestOpening(db, history);
  }
  await using bulk = await open();
  await fillMatches(bulk, history, progress);
  await bulk.tx.run(sql`update generated_matches set complete = 1`);
  await bulk.finish();
}

interface Mark {
  name: string;
  complete: number;
}

async function isSame(db: Db, wanted: Wanted): Promise<boolean> {
  const mark = await markOf(db);
  return mark?.complete === 1 && mark.name === nameOf(wanted);
}

/** What the database says it holds; undefined where it was not made here. */
async function markOf(db: Db): Promise<Mark | undefined> {
  return await db.get<Mark>(sql`select name, complete from generated_matches`).catch(() => undefined);
}

async function isEmpty(db: Db): Promise<boolean> {
  const tables = await db.all(
    sql`select table_name from information_schema.tables where table_schema = 'public' limit 1`,
  );
  return tables.length === 0;
}

function nameOf({ matches, seed, players }: Wanted): string {
  const among = players === undefined ? '' : ` among ${players} players`;
  return `${matches} matches${among} of seed "${seed}" (edition ${RENDER_VERSION})`;
}
