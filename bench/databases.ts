import { spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '#platform/errors.ts';
import { FAST, startPostgres, stopPostgres } from '#test/support/postgres-native.ts';
import { DEFAULT_SEED, generated } from './generated.ts';
import { LOAD_CORE, pin } from './measured-process.ts';

/** Where a run finds its networks; made when they are asked for. */
export interface Databases extends AsyncDisposable {
  small(): Promise<string>;
  large(): Promise<string>;
  /**
   * Brings a network into the system's memory, where a file lies that is in use: one that was just made, or that the system
   * has begun to let go of, would have to be read first.
   */
  warm(url: string): Promise<void>;
}

interface Wishes {
  database: string;
  url?: string | undefined;
  matches?: string | undefined;
}

const SMALL = 10_000;
const LARGE = 1_000_000;
/** On a PostgreSQL that goes again at the end: as many as are made in half a minute. */
const LARGE_FOR_ONCE = 100_000;

/** SQLite files are kept under data/bench; a PostgreSQL of the bench's own lasts as long as the run. */
export async function databases({ database, url, matches }: Wishes): Promise<Databases> {
  if (url !== undefined) {
    const given = async (): Promise<string> => url;
    return { small: given, large: given, async warm() {}, async [Symbol.asyncDispose]() {} };
  }
  if (database === 'sqlite') return files(Number(matches ?? LARGE));
  if (database === 'postgres') return await postgres(Number(matches ?? LARGE_FOR_ONCE));
  throw new UsageError(`--database must be sqlite or postgres (it is "${database}").`);
}

function files(large: number): Databases {
  const fresh = new Set<string>();
  return {
    small: () => fill(SMALL),
    large: () => fill(large),
    warm: async (url) => {
      if (!fresh.has(url)) letGo(url);
      fresh.add(url);
      await readTwice([url]);
    },
    async [Symbol.asyncDispose]() {},
  };
}

/**
 * Has the system forget a file, to read it as it does after a restart, in large pieces. In the small ones in which it was
 * written, reads of far-apart rows cost up to a tenth more, and a run would tell how long ago the file was made.
 */
function letGo(path: string): void {
  spawnSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0']);
}

/** What was read but once is what a system lets go of first. */
async function readTwice(paths: readonly string[]): Promise<void> {
  for (const path of [...paths, ...paths]) for await (const _ of createReadStream(path, { highWaterMark: READ_BYTES }));
}

const READ_BYTES = 4 * 1024 * 1024;

/** PostgreSQL's manual gives it a quarter of a machine's memory to begin with. */
const BUFFERS = `shared_buffers=${Math.floor(totalmem() / 4 / 1024 / 1024)}MB`;

async function postgres(large: number): Promise<Databases> {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-bench-'));
  await chmod(folder, 0o755);
  pin(process.pid, LOAD_CORE);
  const { server, url } = await startPostgres(folder, [...FAST, BUFFERS]);
  const named = async (name: string, matches: number): Promise<string> => {
    const own = new URL(url);
    await command(url, `create database ${name}`);
    own.pathname = `/${name}`;
    return await fill(matches, own.href);
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

/** The files of a PostgreSQL that hold tables and indexes: below `base`, with numbers for names. Its log comes and goes. */
async function tablesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((one) => one.isFile() && /\bbase\/\d+$/.test(one.parentPath) && /^\d+(\.\d+)?$/.test(one.name))
    .map((one) => join(one.parentPath, one.name));
}

/**
 * Brings what is read of matches into PostgreSQL's own memory, where it lies in a server that has run for a while. What was
 * filled in by COPY is not there, and each first read would copy a page from the system's memory into one that is new.
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
  process.stderr.write(`a network of ${matches} matches …`);
  const { url, kept: cached } = await generated({ matches, seed: DEFAULT_SEED, database }, () => undefined);
  process.stderr.write(cached ? ' kept from before\n' : ' made\n');
  return url;
}
