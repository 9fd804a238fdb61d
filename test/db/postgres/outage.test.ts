import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Unavailable } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { testApi } from '#test/support/api.ts';
import { createTestDatabase } from '#test/support/context.ts';

/** A way to a PostgreSQL database that can be cut and mended. */
class Way {
  readonly url: string;
  readonly #folder: string;
  readonly #target: string;
  readonly #path: string;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  private constructor(databaseUrl: string, folder: string) {
    const url = new URL(databaseUrl);
    this.#folder = folder;
    this.#target = join(url.searchParams.get('host')!, `.s.PGSQL.${url.port || 5432}`);
    this.#path = join(folder, `.s.PGSQL.${url.port || 5432}`);
    url.searchParams.set('host', folder);
    this.url = url.href;
  }

  static async open(databaseUrl: string): Promise<Way> {
    const way = new Way(databaseUrl, await mkdtemp(join(tmpdir(), 'way-')));
    await way.mend();
    return way;
  }

  async close(): Promise<void> {
    await this.cut();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async mend(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server = createServer((near) => this.#join(near)).listen(this.#path, resolve);
    await promise;
  }

  /** Nobody gets through any more, and who was through is cut off. */
  async cut(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server?.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }

  #join(near: Socket): void {
    const far = connect(this.#target);
    near.pipe(far).pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => undefined).on('close', () => (other.destroy(), this.#sockets.delete(one)));
    }
  }
}

const pidOf = async (db: Pick<Db, 'get'>): Promise<number> =>
  (await db.get<{ pid: number }>(sql`select pg_backend_pid() as pid`))!.pid;

const terminate = (db: Db, pid: number): Promise<unknown> => db.all(sql`select pg_terminate_backend(${pid})`);

test('a connection that is ended by the server fails its work as unavailable, and nothing else', async (t) => {
  const database = await createTestDatabase('postgres');
  const { url } = database;
  const db = await openDb(url);
  t.after(() => db.close());
  t.after(() => database.drop());
  const judge = await openDb(url);
  t.after(() => judge.close());

  await t.test('while a transaction thinks', async () => {
    const thinking = db.transaction(async (tx) => {
      await terminate(judge, await pidOf(tx));
      await pidOf(tx);
    });
    await assert.rejects(thinking, Unavailable);
    assert.ok((await pidOf(db)) > 0);
  });

  await t.test('while a transaction thinks and asks nothing more before it commits', async () => {
    const { promise: seen, resolve: see } = Promise.withResolvers<number>();
    const { promise: gone, resolve: go } = Promise.withResolvers<void>();
    const thinking = db.transaction(async (tx) => (see(await pidOf(tx)), await gone));
    await terminate(judge, await seen);
    go();
    await assert.rejects(thinking, Unavailable);
  });

  await t.test('while a statement runs', async () => {
    const { promise: seen, resolve: see } = Promise.withResolvers<number>();
    const running = db.transaction(async (tx) => {
      see(await pidOf(tx));
      await tx.all(sql`select pg_sleep(30)`);
    });
    const failed = assert.rejects(running, Unavailable);
    await terminate(judge, await seen);
    await failed;
  });

  await t.test('while nobody uses it', async () => {
    await terminate(judge, await pidOf(db));
    for (let round = 0; round < 3; round++)
      await db.get(sql`select 1`).catch((error) => assert.ok(error instanceof Unavailable));
    assert.ok((await pidOf(db)) > 0);
  });
});

test('a server that cannot be reached is unavailable', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'way-'));
  const wrong = ['postgres://x@127.0.0.1:1/x', `postgres://x@localhost/x?host=${encodeURIComponent(folder)}`];
  for (const url of wrong) await assert.rejects(openDb(url), Unavailable);
  await rm(folder, { recursive: true });
});

test('an outage of the database is 503 for as long as it lasts', async (t) => {
  const database = await createTestDatabase('postgres');
  const way = await Way.open(database.url);
  const { get } = await testApi(t, way.url);
  t.after(() => way.close());
  t.after(() => database.drop());
  assert.equal((await get('/v1/servers')).status, 200);
  await way.cut();
  const replies = await Promise.all(Array.from({ length: 20 }, () => get('/v1/servers')));
  for (const { status, headers, json } of replies) {
    assert.equal(status, 503);
    assert.deepEqual(Object.keys(json), ['error', 'error_description']);
    assert.equal(json.error, 'temporarily_unavailable');
    assert.match(String(headers['retry-after']), /^\d+$/);
    for (const name of ['limit', 'remaining', 'reset']) assert.match(String(headers[`x-ratelimit-${name}`]), /^\d+$/);
    assert.equal(headers['access-control-allow-origin'], '*');
  }
  await way.mend();
  assert.equal((await get('/v1/servers')).status, 200);
});

test('a SQLite file that stays locked is unavailable to writers, not to readers', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { url } = database;
  const db = await openDb(url);
  const other = await openDb(url);
  t.after(() => db.close());
  t.after(() => other.close());
  t.after(() => database.drop());
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const holding = other.transaction(async () => (hold(), await mayEnd));
  await held;
  const writing = db.migrating((tx) => tx.script('create table late (x bigint)'));
  assert.deepEqual(await db.tuples(sql`select 1`), [[1]]);
  end();
  await Promise.all([holding, writing]);
  assert.deepEqual(await db.tuples(sql`select count(*) from late`), [[0]]);
});
