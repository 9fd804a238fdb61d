import assert from 'node:assert/strict';
import { statSync, symlinkSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { folderOf } from '#test/importers/fixtures.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

const CREATE = 'create table samples (key integer primary key, bytes blob)';

test('a new database is readable by its owner alone, also in a folder that exists; an existing one keeps its mode', async () => {
  await using folder = await folderOf({});
  await chmod(folder.path, 0o755);
  const path = join(folder.path, 'new.db');
  await using db = await openDb(path);
  await db.migrating((tx) => tx.script(CREATE));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) assert.equal(modeOf(file), '600', file);
  const shared = join(folder.path, 'shared.db');
  await writeFile(shared, '', { mode: 0o640 });
  await using other = await openDb(shared);
  await other.migrating((tx) => tx.script(CREATE));
  assert.equal(modeOf(shared), '640');
});

test('a database behind a link, also one that leads nowhere yet, is written and read', async () => {
  await using folder = await folderOf({});
  await mkdir(join(folder.path, 'real'));
  const link = join(folder.path, 'link.db');
  symlinkSync(join(folder.path, 'real/x.db'), link);
  for (const key of [1, 2]) {
    await using db = await openDb(link);
    if (key === 1) await db.migrating((tx) => tx.script(CREATE));
    await db.run(sql`insert into samples (key) values (${key})`);
    await using snapshot = await db.snapshot();
    assert.equal((await snapshot.all(sql`select key from samples`)).length, key);
  }
  await using direct = await openDb(join(folder.path, 'real/x.db'));
  assert.equal((await direct.all(sql`select key from samples`)).length, 2);
});

test('the log gives the disk back what one long transaction took', async () => {
  await using folder = await folderOf({});
  const path = join(folder.path, 'x.db');
  await using db = await openDb(path);
  await db.migrating((tx) => tx.script(CREATE));
  await db.run(sql`insert into samples (key, bytes) values (1, zeroblob(100000000))`);
  assert.ok(statSync(`${path}-wal`).size > 100_000_000);
  await db.run(sql`insert into samples (key) values (2)`);
  assert.ok(statSync(`${path}-wal`).size < 90_000_000);
});
