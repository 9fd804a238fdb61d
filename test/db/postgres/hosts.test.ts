import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Unavailable } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { DatabaseProxy } from '#test/support/database-proxy.ts';

const LIMITED = { timeout: 60_000 };

interface Cluster {
  first: DatabaseProxy;
  second: DatabaseProxy;
  url: string;
}

/** Two hosts of one database, each behind a proxy. */
async function cluster(t: TestContext): Promise<Cluster> {
  const database = await createTestDatabase('postgres');
  t.after(() => database.drop());
  const [first, second] = [await DatabaseProxy.open(database.url), await DatabaseProxy.open(database.url)];
  t.after(() => Promise.all([first.close(), second.close()]));
  const url = new URL(first.url);
  const folders = [first, second].map((proxy) => new URL(proxy.url).searchParams.get('host'));
  url.searchParams.set('host', folders.join(','));
  return { first, second, url: url.href };
}

const write = (db: Db): Promise<number> => db.run(sql`update data_versions set value = value where name = 'database'`);
const read = (db: Db): Promise<unknown> => db.tuple(sql`select 1`);

/** The number of attempts until the first success; other errors than an outage pass. */
async function attempts(work: () => Promise<unknown>): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return attempt;
    } catch (error) {
      assert.ok(error instanceof Unavailable, String(error));
    }
  }
}

test('of several hosts the one that takes writes is found at the start', LIMITED, async (t) => {
  const { first, second, url } = await cluster(t);
  first.readOnly = true;
  await using db = await openDb(url);
  assert.equal(await write(db), 1);
  await using one = await openDb(`${url}&target_session_attrs=read-write`);
  assert.equal(await write(one), 1);
  assert.ok(second.connections > 0);
});

test('a host that does not answer is passed over', LIMITED, async (t) => {
  const { first, url } = await cluster(t);
  first.silence();
  await using db = await openDb(url, { timeoutMs: 6_000 });
  assert.equal(await write(db), 1);
  await first.stop();
  assert.equal(await write(db), 1);
});

test('after a failover new connections find the new primary', LIMITED, async (t) => {
  const { first, second, url } = await cluster(t);
  second.readOnly = true;
  await using db = await openDb(url);
  await Promise.all([write(db), read(db)]);
  await first.stop();
  await assert.rejects(write(db), Unavailable);
  second.readOnly = false;
  assert.ok((await attempts(() => write(db))) <= 2);
  assert.ok((await attempts(() => read(db))) <= 2);
  // The former primary comes back as a standby.
  first.readOnly = true;
  await first.start();
  await second.stop();
  await assert.rejects(write(db), Unavailable);
  await second.start();
  assert.ok((await attempts(() => write(db))) <= 2);
});

test('without a host that takes writes the error says so', LIMITED, async (t) => {
  const { first, second, url } = await cluster(t);
  first.readOnly = second.readOnly = true;
  await assert.rejects(openDb(url), (error: Error) => /No host .*takes writes/.test((error.cause as Error).message));
  const alone = new URL(first.url);
  await (await openDb(alone.href)).close();
  alone.searchParams.set('target_session_attrs', 'read-write');
  await assert.rejects(openDb(alone.href), Unavailable);
});

test('closing during the search for a host leaves no connection', LIMITED, async (t) => {
  const { first, second, url } = await cluster(t);
  const db = await openDb(url, { timeoutMs: 6_000 });
  assert.equal(typeof db.versions().credentials, 'undefined');
  first.silence();
  second.silence();
  const reading = assert.rejects(read(db));
  await db.close();
  await reading;
});
