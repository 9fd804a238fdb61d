import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { DatabaseProxy } from '#test/support/database-proxy.ts';

test('without prepared statements a session keeps nothing', async (t) => {
  const database = await createTestDatabase('postgres');
  t.after(() => database.drop());
  const left = sql`select (select count(*) from pg_prepared_statements) as statements,
    (select count(*) from pg_listening_channels()) as channels,
    (select count(*) from pg_settings where name like '%keepalives%' and source = 'session') as settings`;
  const nothing = { statements: 0, channels: 0, settings: 0 };
  await using db = await openDb(database.url, { prepared: false });
  assert.equal(db.versions().credentials, undefined);
  assert.deepEqual(await db.transaction((tx) => tx.get(left)), nothing);
  assert.deepEqual(await db.shortReads.get(left), nothing);
  assert.equal(db.versions().credentials, undefined, 'nothing listens, so that nothing may be cached');
  const listeners = sql`select count(*) from pg_stat_activity where datname = current_database() and query like 'listen%'`;
  assert.deepEqual(await db.tuple(listeners), [0]);
  await using direct = await openDb(database.url);
  assert.notDeepEqual(await direct.get(left), nothing);
});

test('behind a pooler nothing is cached by notifications, which it would drop', async (t) => {
  const database = await createTestDatabase('postgres');
  const proxy = await DatabaseProxy.open(database.url);
  t.after(() => database.drop());
  t.after(() => proxy.close());
  for (const pools of [false, true]) {
    proxy.pools = pools;
    await using db = await openDb(proxy.url);
    const before = proxy.connections;
    assert.equal(db.versions().credentials, undefined);
    await proxy.untilConnections(before + 1);
    const isSettled = (): boolean =>
      pools ? proxy.openConnections === 1 : typeof db.versions().credentials === 'number';
    while (!isSettled()) await db.tuple(sql`select 1`);
    assert.equal(typeof db.versions().credentials, pools ? 'undefined' : 'number');
  }
});
