import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import pg from 'pg';
import { scorehall } from '#test/cli/scorehall.ts';

test('the role and the database of the document are all that Scorehall needs', async (t) => {
  const section = readFileSync('docs/operations.md', 'utf8').split('\n### PostgreSQL\n')[1]!;
  const statements = /```sql\n(.*?)```/s
    .exec(section)![1]!
    .split('\n')
    .filter((line) => line !== '');
  const maintenance = process.env['TEST_POSTGRES_URL']!;
  const client = new pg.Client(maintenance);
  await client.connect();
  t.after(() => client.query('drop database scorehall with (force)'));
  t.after(() => client.query('drop role scorehall'));
  t.after(() => client.end());
  for (const statement of statements) await client.query(statement);
  const url = new URL(maintenance);
  [url.username, url.pathname] = ['scorehall', '/scorehall'];
  const { status, err } = await scorehall(
    { DATABASE_URL: url.href },
    'server',
    'create',
    '--name',
    'Alpha',
    '--region',
    'eu',
  );
  assert.deepEqual([status, err], [0, '']);
});
