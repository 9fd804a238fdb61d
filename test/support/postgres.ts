import { randomBytes } from 'node:crypto';
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

/** Drops a database and the connections to it, as an outage. */
export const dropPostgresDatabase = (url: string): Promise<void> =>
  command(`drop database ${new URL(url).pathname.slice(1)} with (force)`);

async function createFrom(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await command(`create database ${name} template ${template} strategy file_copy`);
  const url = new URL(server());
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => command(`drop database if exists ${name} with (force)`) };
}

async function command(text: string): Promise<void> {
  const client = new pg.Client(server());
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

function server(): string {
  const url = process.env['TEST_POSTGRES_URL'];
  if (!url) throw new Error('These tests need the PostgreSQL that npm test starts: run npm test -- FILE.');
  return url;
}
