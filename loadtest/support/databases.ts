import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { DURABLE, servePostgres, startPostgres, stopPostgres } from '#test/support/postgres-native.ts';

export type Dialect = 'sqlite' | 'postgres';

/** Creates empty databases with durable commits (fsync). */
export interface Databases extends AsyncDisposable {
  dialect: Dialect;
  create(): Promise<string>;
  /** Deletes an unused database, so that its unwritten pages do not slow down the next measurement. */
  remove(url: string): Promise<void>;
  /** Stops the database server and starts it again; undefined for SQLite. */
  outage: { begin(): Promise<void>; end(): Promise<void> } | undefined;
}

/** The database of `--database`, or both. */
export function dialectsOf(name: string): Dialect[] {
  return (['sqlite', 'postgres'] as const).filter((dialect) => name === '' || dialect === name);
}

export async function databases(dialect: Dialect): Promise<Databases> {
  const folder = await mkdtemp(join(process.getuid?.() === 0 ? '/tmp' : tmpdir(), 'scorehall-loadtest-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  if (dialect === 'sqlite') {
    let count = 0;
    const create = async (): Promise<string> => join(folder, `${++count}`, 'scorehall.db');
    return { dialect, create, remove: removeFile, outage: undefined, [Symbol.asyncDispose]: remove };
  }
  let { server, url } = await startPostgres(folder, DURABLE);
  const outage = {
    begin: (): Promise<void> => stopPostgres(server),
    end: async (): Promise<void> => {
      ({ server, url } = await servePostgres(folder, DURABLE));
    },
  };
  const close = async (): Promise<void> => {
    await stopPostgres(server as ChildProcess);
    await remove();
  };
  return {
    dialect,
    create: () => createDatabase(url),
    remove: (one) => removeFrom(url, one),
    outage,
    [Symbol.asyncDispose]: close,
  };
}

const removeFile = (path: string): Promise<void> => rm(dirname(path), { recursive: true });

/** Creates a database on the server of a maintenance database. */
export async function createDatabase(maintenance: string): Promise<string> {
  const name = `loadtest_${randomBytes(6).toString('hex')}`;
  await maintain(maintenance, `create database ${name} template template0 locale_provider icu icu_locale 'en'`);
  const url = new URL(maintenance);
  url.pathname = `/${name}`;
  return url.href;
}

async function removeFrom(maintenance: string, url: string): Promise<void> {
  await maintain(maintenance, `drop database ${new URL(url).pathname.slice(1)} with (force)`);
}

async function maintain(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement);
  await client.end();
}
