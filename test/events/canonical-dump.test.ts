import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { onSqlite, testContext } from '#test/support/context.ts';
import { COMPARED, NOT_COMPARED } from './canonical-dump.ts';

onSqlite('every table is compared by the dump, or listed as not compared', async (t, url) => {
  const { db } = await testContext(t, url);
  const tables = await db.tuples(sql`select name from sqlite_schema where type = 'table' and name not like 'sqlite%'`);
  assert.deepEqual([...COMPARED, ...NOT_COMPARED].toSorted(), tables.map(([name]) => String(name)).toSorted());
});
