import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { UsageError } from '#platform/errors.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { scorehall } from '#test/cli/scorehall.ts';
import { createEmptyDatabase, createTestDatabase } from '#test/support/context.ts';

/** The last line of a command on this database, after its exit code. */
async function refusal(url: string): Promise<string> {
  const { status, err } = await scorehall({ DATABASE_URL: url }, 'server', 'list');
  return `${status} ${err}`;
}

async function withClient(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** From the documentation of CockroachDB (SQL shell), and from tests/test_connect.py of asyncpg. */
const VERSIONS = {
  CockroachDB: 'CockroachDB CCL v21.1.0 (x86_64-unknown-linux-gnu, built 2021/04/23 13:54:57, go1.13.14)',
  YugabyteDB:
    'PostgreSQL 11.2-YB-2.7.1.1-b0 on x86_64-pc-linux-gnu, compiled by gcc (Homebrew gcc 5.5.0_4) 5.5.0, 64-bit',
};

test('servers that only speak the protocol of PostgreSQL are refused in one sentence', async (t) => {
  for (const [name, version] of Object.entries(VERSIONS)) {
    const database = await createEmptyDatabase('postgres');
    t.after(() => database.drop());
    const own = new URL(database.url).pathname.slice(1);
    await withClient(
      database.url,
      `create function public.version() returns text language sql as $$ select '${version}' $$`,
      `alter database ${own} set search_path = public, pg_catalog`,
    );
    assert.equal(
      await refusal(database.url),
      `2 scorehall: ${name} is not PostgreSQL: its advisory locks do nothing. Set DATABASE_URL to PostgreSQL.\n`,
    );
  }
});

test('a database of another encoding is refused in one sentence', async (t) => {
  const database = await createEmptyDatabase('postgres');
  const name = `encoding_${randomBytes(6).toString('hex')}`;
  t.after(() => database.drop());
  await withClient(database.url, `create database ${name} template template0 encoding 'SQL_ASCII' locale 'C'`);
  t.after(() => withClient(process.env['TEST_POSTGRES_URL']!, `drop database ${name} with (force)`));
  const url = new URL(database.url);
  url.pathname = `/${name}`;
  assert.equal(
    await refusal(url.href),
    '2 scorehall: The database has the encoding SQL_ASCII. Create it with --encoding UTF8 (createdb).\n',
  );
});

test('a role that may not create tables is told to own the database', async (t) => {
  const database = await createEmptyDatabase('postgres');
  const role = `guest_${randomBytes(6).toString('hex')}`;
  await withClient(database.url, `create role ${role} login`);
  t.after(() => withClient(process.env['TEST_POSTGRES_URL']!, `drop role ${role}`));
  t.after(() => database.drop());
  const url = new URL(database.url);
  url.username = role;
  const { status, err } = await scorehall(
    { DATABASE_URL: url.href },
    'server',
    'create',
    '--name',
    'A',
    '--region',
    'eu',
  );
  assert.equal(
    `${status} ${err}`,
    '2 scorehall: PostgreSQL refuses: permission denied for schema public. The role of DATABASE_URL has to own the database and its tables.\n',
  );
});

test('a statement that a pooler has lost names DATABASE_PREPARED', async (t) => {
  const database = await createTestDatabase('postgres');
  t.after(() => database.drop());
  await using db = await openDb(database.url);
  const lost = db.transaction(async (tx) => {
    await tx.get(sql`select 1 as one`);
    // Another session, as a pooler in transaction mode gives it.
    await tx.all(sql`deallocate all`);
    await tx.get(sql`select 1 as one`);
  });
  await assert.rejects(lost, (error) => error instanceof UsageError && /set DATABASE_PREPARED=off/.test(error.message));
});

/** A server that answers each connection with these bytes. */
async function answering(t: TestContext, answer: (socket: Socket) => void): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = createServer((socket) => answer(socket.on('error', () => undefined))).listen(0, '127.0.0.1', resolve);
  await promise;
  t.after(() => server.close());
  return `postgres://me@127.0.0.1:${(server.address() as { port: number }).port}/x`;
}

test('no answer of a server at the start leads to a stack trace', async (t) => {
  // AuthenticationSASL with the mechanism SCRAM-SHA-256
  const scram = Buffer.concat([Buffer.from('R\0\0\0\x17\0\0\0\x0a', 'latin1'), Buffer.from('SCRAM-SHA-256\0\0')]);
  // The greeting of MariaDB 10.11.6
  const mysql = Buffer.from('5f0000000a352e352e352d31302e31312e362d4d617269614442002500000047', 'hex');
  const answers: Record<string, (socket: Socket) => void> = {
    'scram without password': (socket) => void socket.once('data', () => socket.write(scram)),
    mysql: (socket) => void socket.end(mysql),
    http: (socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    ssh: (socket) => void socket.end('SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u7\r\n'),
    'no tls': (socket) => void socket.once('data', () => socket.end('N')),
  };
  for (const [name, answer] of Object.entries(answers)) {
    const url = await answering(t, answer);
    const text = await refusal(name === 'no tls' ? `${url}?sslmode=require` : url);
    assert.match(text, /^1 scorehall: [^\n]*\. See DATABASE_URL\.\n$/, name);
    t.diagnostic(`${name}: ${text}`);
  }
});

test('a wrong address ends with the sentence that says what would be right', async () => {
  for (const [url, sentence] of [
    ['postgres://u@a/x?sslmode=prefer', /^2 scorehall: DATABASE_URL must have one of these as sslmode: disable/],
    ['postgres://u@a/x?sslmode=verify-full&sslrootcert=/none.pem', /^2 scorehall: The file of sslrootcert .*ENOENT/],
  ] as const)
    assert.match(await refusal(url), sentence);
});
