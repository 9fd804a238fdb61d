import assert from 'node:assert/strict';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { effectOf, latestMigration, migrate } from '#db/migrate.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { migrationFiles } from '#db/transfer/schema.ts';
import { onEachEmptyDatabase } from '#test/support/context.ts';
import { type Ran, scorehall } from './scorehall.ts';

const KNOWN = latestMigration();
const SECRET_KEY = 'a secret that is long enough for tests';

const json = ({ status, out, err }: Ran): unknown => {
  assert.deepEqual([status, err], [0, '']);
  return JSON.parse(out);
};

onEachEmptyDatabase('migrate --check lists what is missing, and migrate runs it', async (t, url) => {
  const environment = { DATABASE_URL: url, SECRET_KEY, MIGRATION_BACKUP: 'off', LOG_LEVEL: 'silent' };
  const checked = async (): Promise<unknown> => json(await scorehall(environment, 'migrate', '--check', '--json'));
  const db = await openDb(url);
  t.after(() => db.close());
  const before = KNOWN - 1;
  await migrate(db, { upTo: before });
  const last = { number: KNOWN, name: migrationFiles().at(-1)! };
  const { required, ...missing } = (await checked()) as Record<string, unknown>;
  const lists = { online: [] as string[], offline: [] as string[], [effectOf(last)]: [last.name] };
  assert.deepEqual(missing, { applied: before, known: KNOWN, ...lists });
  assert.deepEqual(await db.tuples(sql`select max(number) from migrations`), [[before]], 'nothing has changed');
  const present = {
    applied: KNOWN,
    known: KNOWN,
    required: effectOf(last) === 'offline' ? KNOWN : required,
    online: [],
    offline: [],
  };
  assert.deepEqual(json(await scorehall(environment, 'migrate', '--json')), present);
  assert.deepEqual(await checked(), present);
});

test('migrate --check creates no SQLite file, and migrate begins no network', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'migrate-')), 'none.db');
  const { out } = await scorehall({ DATABASE_URL: file, SECRET_KEY }, 'migrate', '--check', '--json');
  assert.equal((JSON.parse(out) as { applied: number }).applied, 0);
  const { status, err } = await scorehall({ DATABASE_URL: file, SECRET_KEY }, 'migrate');
  assert.deepEqual([status, /^scorehall: There is no database/.test(err), existsSync(file)], [2, true, false], err);
});
