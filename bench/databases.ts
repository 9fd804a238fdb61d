import { spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '#platform/errors.ts';
import { FAST, startPostgres, stopPostgres } from '#test/support/postgres-native.ts';
import { DEFAULT_SEED, generateDatabase } from './generated.ts';
import { LOAD_CORE, pin } from './measured-process.ts';

/** The databases of a run, generated on demand. */
export interface Databases extends AsyncDisposable {
  /** @returns the URL */
  small(): Promise<string>;
  /** @returns the URL */
  large(): Promise<string>;
  /** Loads a database into the page cache of the operating system, as if it had been in use for a while. */
  warm(url: string): Promise<void>;
}

interface DatabaseOptions {
  database: string;
  url?: string | undefined;
  /** Of the large database; by default a million, or on a temporary PostgreSQL a hundred thousand. */
  matches?: number | undefined;
}

const SMALL = 10_000;
const LARGE = 1_000_000;
/** On a temporary PostgreSQL: as many as can be generated in half a minute. */
const LARGE_TEMPORARY = 100_000;

/**
 * Opens the databases of a run. SQLite files stay under data/bench for later runs; a PostgreSQL server is started for the
 * run and deleted after it.
 */
export async function openDatabases({ database, url, matches }: DatabaseOptions): Promise<Databases> {
  if (url !== undefined) {
    const given = async (): Promise<string> => url;
    return { small: given, large: given, async warm() {}, async [Symbol.asyncDispose]() {} };
  }
  if (database === 'sqlite') return sqliteFiles(matches ?? LARGE);
  if (database === 'postgres') return await temporaryPostgres(matches ?? LARGE_TEMPORARY);
  throw new UsageError(`--database must be sqlite or postgres (it is "${database}").`);
}

function sqliteFiles(large: number): Databases {
  const dropped = new Set<string>();
  return {
    small: () => fill(SMALL),
    large: () => fill(large),
    warm: async (url) => {
      if (!dropped.has(url)) dropFromPageCache(url);
      dropped.add(url);
      await readTwice([url]);
    },
    async [Symbol.asyncDispose]() {},
  };
}

/**
 * Drops a file from the page cache, to read it again in large pieces as after a restart. In the small pieces in which it was
 * written, reads of scattered rows cost up to 10 % more, and the figures would depend on the age of the file.
 */
function dropFromPageCache(path: string): void {
  spawnSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0']);
}

/** Reads files twice, because an operating system evicts pages first that were read only once. */
async function readTwice(paths: readonly string[]): Promise<void> {
  for (const path of [...paths, ...paths]) for await (const _ of createReadStream(path, { highWaterMark: READ_BYTES }));
}

const READ_BYTES = 4 * 1024 * 1024;

/** A quarter of the memory, the starting value that the PostgreSQL manual recommends. */
const BUFFERS = `shared_buffers=${Math.floor(totalmem() / 4 / 1024 / 1024)}MB`;

async function temporaryPostgres(large: number): Promise<Databases> {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-bench-'));
  await chmod(folder, 0o755);
  pin(process.pid, LOAD_CORE);
  const { server, url } = await startPostgres(folder, [...FAST, BUFFERS]);
  const named = async (name: string, matches: number): Promise<string> => {
    const created = new URL(url);
    await command(url, `create database ${name}`);
    created.pathname = `/${name}`;
    return await fill(matches, created.href);
  };
  return {
    small: () => named('small', SMALL),
    large: () => named('large', large),
    warm: async (one) => {
      await readTwice(await tablesIn(folder));
      await fillBuffers(one);
    },
    async [Symbol.asyncDispose]() {
      await stopPostgres(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL's files of tables and indexes: below `base`, named by numbers. All others may vanish while they are read. */
async function tablesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((one) => one.isFile() && /\bbase\/\d+$/.test(one.parentPath) && /^\d+(\.\d+)?$/.test(one.name))
    .map((one) => join(one.parentPath, one.name));
}

/**
 * Loads the tables of matches into PostgreSQL's shared buffers, as on a server that has run for a while. COPY does not leave
 * the rows there, and every first read of a page would copy it from the page cache.
 */
async function fillBuffers(url: string): Promise<void> {
  await command(
    url,
    `create extension if not exists pg_prewarm;
    select pg_prewarm(oid) from pg_class
    where relkind in ('r', 'i') and relname ~ '^(match_details|matches)(_|$)'`,
  );
}

async function command(url: string, text: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client(url);
  await client.connect();
  await client.query(text);
  await client.end();
}

async function fill(matches: number, database?: string): Promise<string> {
  process.stderr.write(`database with ${matches} matches …`);
  const { url, reused } = await generateDatabase({ matches, seed: DEFAULT_SEED, database }, () => undefined);
  process.stderr.write(reused ? ' reused\n' : ' generated\n');
  return url;
}
