import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import pg from 'pg';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/**
 * Creates an empty database on the PostgreSQL of the test run. It has the collation of a language, as an operator's would,
 * so that a query that relies on byte order fails.
 */
export const createPostgresDatabase = (): Promise<TestDatabase> =>
  createFrom(`template0 locale_provider icu icu_locale 'en'`);

/** Copies a database, which must have no open connection. */
export const copyPostgresDatabase = (url: string): Promise<TestDatabase> => createFrom(new URL(url).pathname.slice(1));

async function createFrom(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await command(`create database ${name} template ${template} strategy file_copy`);
  const url = new URL(server());
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => command(`drop database if exists ${name} with (force)`) };
}

interface Maintenance {
  client: pg.Client;
  socket: Socket;
}

let maintenance: Promise<Maintenance> | undefined;
let running = 0;

const forget = (): void => void (maintenance = undefined);

/** Runs a command on one connection for all tests: opening one costs a third as much as copying and dropping a database. */
async function command(text: string): Promise<void> {
  const { client, socket } = await (maintenance ??= connect());
  running++;
  socket.ref();
  try {
    await client.query(text);
  } finally {
    // An idle connection does not keep the process running.
    if (--running === 0) socket.unref();
  }
}

async function connect(): Promise<Maintenance> {
  const socket = new Socket();
  const client = new pg.Client({ connectionString: server(), stream: () => socket });
  client.on('error', forget);
  client.on('end', forget);
  try {
    await client.connect();
    return { client, socket };
  } catch (error) {
    forget();
    throw error;
  }
}

function server(): string {
  const url = process.env['TEST_POSTGRES_URL'];
  if (!url) throw new Error('These tests need the PostgreSQL that npm test starts: run npm test -- FILE.');
  return url;
}
