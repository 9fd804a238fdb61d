import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { lockTokens, ownerTransactions } from '#store/applications/live-tokens.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { post } from './flow.ts';
import { makeAccount, makeApplication } from './support.ts';
import { openWorld, signIn, type World } from './world.ts';

/** The connections that a process opens at most. */
const POOL_SIZE = 8;

/** SQLite has no pool: its statements run on the thread itself. */
async function openOnPostgres(t: TestContext): Promise<{ world: World; url: string }> {
  const database = await createTestDatabase('postgres');
  const world = await openWorld(t, database.url);
  await makeAccount(world.services, 'Robin');
  t.after(() => database.drop());
  return { world, url: database.url };
}

test('an application that requests tokens in parallel leaves the connections to others', async (t) => {
  const { world, url } = await openOnPostgres(t);
  const { application, secret } = await makeApplication(world.services, 'service');
  const fields = {
    grant_type: 'client_credentials',
    client_id: application.client_id,
    client_secret: secret!,
  };
  await using elsewhere = await openDb(url);
  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const owner = { kind: 'ClientCredentials', clientId: application.client_id, accountId: null };
  const holder = elsewhere.transaction(async (tx) => {
    await lockTokens(tx, owner);
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const tokens = Array.from({ length: POOL_SIZE + 4 }, () => post(world.services, '/oauth/token', fields));
  try {
    const waiting = sql`
      select 1 from pg_locks join pg_database d on d.oid = database
      where locktype = 'advisory' and not granted and datname = current_database()`;
    while ((await elsewhere.tuple(waiting)) === undefined) await setImmediate();
    assert.match((await signIn(world, 'Robin')).page.url, /\/account$/);
  } finally {
    release.resolve();
    await holder;
  }
  for (const { status } of await Promise.all(tokens)) assert.equal(status, 200);
});

test('the account page does not wait for a connection of the pool', async (t) => {
  const { world } = await openOnPostgres(t);
  const person = await signIn(world, 'Robin');
  const { db } = world.services.context;
  const release = Promise.withResolvers<void>();
  const occupied = Array.from({ length: POOL_SIZE }, () => db.transaction(() => release.promise));
  try {
    while (db.connections().busy !== POOL_SIZE) await setImmediate();
    assert.match((await person.open('/account')).html, /sign-out/);
  } finally {
    release.resolve();
    await Promise.all(occupied);
  }
});

test('a transaction stores at most 32 tokens of one owner', async (t) => {
  const database = await createTestDatabase('sqlite');
  const db = await openDb(database.url);
  t.after(async () => {
    await db.close();
    await database.drop();
  });
  const sizes: number[] = [];
  const transaction: Db['transaction'] = (work, options) => {
    sizes.push(0);
    return db.transaction(work, options);
  };
  const transact = ownerTransactions({ transaction });
  const owner = { kind: 'ClientCredentials', clientId: 'app', accountId: null };
  const work = async (): Promise<void> => void sizes[sizes.length - 1]!++;
  await Promise.all(Array.from({ length: 70 }, () => transact({ owner, durable: false, work })));
  assert.deepEqual(sizes, [32, 32, 6]);
});
