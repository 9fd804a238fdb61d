import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDb } from '#db/open.ts';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { createEmptyDatabase } from '#test/support/context.ts';

const COUNT = sql`
  select count(*) as connections from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend'`;

const connectionsOf = async (db: Db): Promise<unknown> => (await db.tuple(COUNT))?.[0];

test('connections open when they are needed: one to read, a second for reads beside others, one that listens', async (t) => {
  const database = await createEmptyDatabase('postgres');
  t.after(() => database.drop());
  await using db = await openDb(database.url, { timeoutMs: 60_000 });
  assert.equal(await connectionsOf(db), 1);
  await Promise.all([db.tuple(sql`select 1`), db.tuple(sql`select 2`), db.tuple(sql`select 3`)]);
  assert.equal(await connectionsOf(db), 2);
  while (db.versions().credentials === undefined) await db.tuple(sql`select 1`);
  assert.equal(await connectionsOf(db), 3);
});
