import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '#base/errors.ts';
import { startPostgres, stopPostgres } from '#test/support/postgres-native.ts';
import { DEFAULT_SEED, generated } from './generated.ts';
import { LOAD_CORE, pin } from './measured.ts';

/** Where a run finds its networks; made when they are asked for. */
export interface Databases extends AsyncDisposable {
  small(): Promise<string>;
  large(): Promise<string>;
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
  if (url !== undefined) return { small: async () => url, large: async () => url, async [Symbol.asyncDispose]() {} };
  if (database === 'sqlite') return files(Number(matches ?? LARGE));
  if (database === 'postgres') return await postgres(Number(matches ?? LARGE_FOR_ONCE));
  throw new UsageError(`--database must be sqlite or postgres (it is "${database}").`);
}

function files(large: number): Databases {
  return {
    small: () => fill(SMALL),
    large: () => fill(large),
    async [Symbol.asyncDispose]() {},
  };
}

async function postgres(large: number): Promise<Databases> {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-bench-'));
  await chmod(folder, 0o755);
  pin(process.pid, LOAD_CORE);
  const { server, url } = await startPostgres(folder);
  const named = async (name: string, matches: number): Promise<string> => {
    const own = new URL(url);
    await command(url, `create database ${name}`);
    own.pathname = `/${name}`;
    return await fill(matches, own.href);
  };
  return {
    small: () => named('small', SMALL),
    large: () => named('large', large),
    async [Symbol.asyncDispose]() {
      await stopPostgres(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
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
  const { url, kept } = await generated({ matches, seed: DEFAULT_SEED, database }, () => undefined);
  process.stderr.write(kept ? ' kept from before\n' : ' made\n');
  return url;
}
