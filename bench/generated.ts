import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { migrate } from '#db/migrate.ts';
import { sql } from '#db/sql.ts';
import type { Bulk } from './bulk/bulk.ts';
import { fillMatches, ingestOpening } from './filling.ts';
import { BenchHistory } from './generated-history.ts';

export interface GeneratedOptions {
  matches: number;
  seed: string;
  /** A SQLite file or a PostgreSQL URL; a file under data/bench when omitted. */
  database?: string | undefined;
  /** The number of players; 20,000 when omitted. */
  players?: number;
}

export type Progress = (matches: number) => void;

/** Increase this when the generated data changes, so that databases of earlier versions are not reused. */
const GENERATOR_VERSION = 3;

/**
 * Generates a database, or reuses one that was generated with the same options. An incomplete one is never reused.
 * @returns its URL, and whether it was reused
 * @throws UsageError if the database contains anything else
 */
export async function generateDatabase(
  options: GeneratedOptions,
  progress: Progress,
): Promise<{ url: string; reused: boolean }> {
  const url = options.database ?? fileOf(options);
  const inDatabase = /^postgres(ql)?:/.test(url) ? inPostgres : inFile;
  return { url, reused: await inDatabase(url, options, progress) };
}

function fileOf({ matches, seed }: GeneratedOptions): string {
  return `data/bench/matches-${matches}${seed === DEFAULT_SEED ? '' : `-${seed.replaceAll(/\W/g, '_')}`}.db`;
}

export const DEFAULT_SEED = 'bench';

/** Generates into a temporary file, which gets its final name only when it is complete. */
async function inFile(url: string, options: GeneratedOptions, progress: Progress): Promise<boolean> {
  const path = url.replace(/^(sqlite|file):(\/\/)?/, '');
  if (existsSync(path)) {
    await using db = await openDb(path, { keyedHash: secretHash });
    if (await isSame(db, options)) return true;
    throw new UsageError(`${path} does not contain ${nameOf(options)}. Remove it, or choose another file.`);
  }
  const partial = `${path}.partial`;
  mkdirSync(dirname(path), { recursive: true });
  for (const end of ['', '-wal', '-shm', '-turn']) rmSync(partial + end, { force: true });
  await fill(partial, options, progress, async () => new (await import('./bulk/sqlite.ts')).BulkSqlite(partial));
  renameSync(partial, path);
  return false;
}

/**
 * Marks the database as generated before filling it, and as complete at the end. Only a database with this mark may be
 * erased when it is incomplete.
 */
async function inPostgres(url: string, options: GeneratedOptions, progress: Progress): Promise<boolean> {
  await using db = await openDb(url, { keyedHash: secretHash });
  if (await isSame(db, options)) return true;
  const mark = await markOf(db);
  if (mark === undefined && !(await isEmpty(db))) {
    throw new UsageError('The database contains data that was not generated. Choose an empty database.');
  }
  if (mark?.complete === 1)
    throw new UsageError(`The database contains ${mark.name}, not ${nameOf(options)}. Choose an empty database.`);
  if (mark !== undefined) await db.run(sql`drop schema public cascade`);
  await db.run(sql`create schema if not exists public`);
  await fill(url, options, progress, async () => await (await import('./bulk/postgres.ts')).BulkPostgres.open(url));
  return false;
}

async function fill(
  url: string,
  options: GeneratedOptions,
  progress: Progress,
  open: () => Promise<Bulk>,
): Promise<void> {
  const history = new BenchHistory(options.seed, options.matches, options.players);
  {
    await using db = await openDb(url, { keyedHash: secretHash });
    await db.run(sql`create table generated_matches (name text primary key, complete bigint not null)`);
    await db.run(sql`insert into generated_matches (name, complete) values (${nameOf(options)}, 0)`);
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

async function isSame(db: Db, options: GeneratedOptions): Promise<boolean> {
  const mark = await markOf(db);
  return mark?.complete === 1 && mark.name === nameOf(options);
}

/** The mark of a generated database; undefined for any other database. */
async function markOf(db: Db): Promise<Mark | undefined> {
  return await db.get<Mark>(sql`select name, complete from generated_matches`).catch(() => undefined);
}

async function isEmpty(db: Db): Promise<boolean> {
  const tables = await db.all(
    sql`select table_name from information_schema.tables where table_schema = 'public' limit 1`,
  );
  return tables.length === 0;
}

function nameOf({ matches, seed, players }: GeneratedOptions): string {
  const among = players === undefined ? '' : ` among ${players} players`;
  return `${matches} matches${among} of seed "${seed}" (edition ${GENERATOR_VERSION})`;
}
