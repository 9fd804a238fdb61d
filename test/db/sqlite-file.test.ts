import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Queryable } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child.ts';

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

const isLinux = process.platform === 'linux';

/** The first byte of the range in which SQLite marks a database as open. */
const OPEN_MARK = ' 1073741826 ';

test('a migration sorts the entries of an index in files, because a large table does not fit into memory', async () => {
  await using folder = await folderOf({});
  await using db = await openDb(join(folder.path, 'new.db'));
  const stores: unknown[] = [];
  const note = async (tx: Queryable): Promise<void> =>
    void stores.push((await tx.get<{ temp_store: number }>(sql`pragma temp_store`))!.temp_store);
  await db.migrating(note);
  await assert.rejects(db.migrating((tx) => tx.script('create nonsense')));
  await db.transaction(note);
  const [FILE, MEMORY] = [1, 2];
  assert.deepEqual(stores, [FILE, MEMORY]);
});

test('opening a database again releases no lock of its first opening', { skip: !isLinux }, async () => {
  await using folder = await folderOf({});
  const path = join(folder.path, 'x.db');
  await using db = await openDb(path);
  await db.migrating((tx) => tx.script(CREATE));
  const { ino } = statSync(path);
  const isMarked = (): boolean =>
    readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .some((line) => line.includes(`:${ino} `) && line.includes(OPEN_MARK));
  assert.ok(isMarked());
  await using _ = await openDb(path);
  assert.ok(isMarked());
});

function loseBytes(path: string, { start, end }: { start: number; end: number }): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(end - start), 0, end - start, start);
  closeSync(file);
}

test(
  'after the disk has failed to sync the log, nothing is acknowledged that a power cut would lose',
  { skip: !isLinux },
  async () => {
    await using folder = await folderOf({});
    const path = join(folder.path, 'x.db');
    const program = join(import.meta.dirname, 'failing-disk.ts');
    const child = spawnSync(process.execPath, [program, path], { env: CHILD_ENVIRONMENT, encoding: 'utf8' });
    const lines = child.stdout.trim().split('\n');
    const acknowledged = lines.filter((line) => /^\d$/.test(line)).map(Number);
    loseBytes(`${path}-wal`, JSON.parse(lines.find((line) => line.startsWith('{'))!) as { start: number; end: number });
    await using db = await openDb(path);
    const stored = await db.tuples(sql`select key from samples order by key`);
    assert.deepEqual(acknowledged, stored.flat(), child.stderr);
    assert.deepEqual(acknowledged, [1]);
    assert.equal(child.signal, 'SIGKILL');
    assert.match(child.stderr, /"level":60.*The disk could not sync the log of .*x\.db\. The process ends/);
    assert.equal(statSync(`${path}-wal`).size, 0, 'the log with the hole was emptied');
    assert.equal(existsSync(`${path}-failed-sync`), false);
    await db.run(sql`insert into samples (key) values (5)`);
  },
);

test('a log with a hole is emptied also while another process has the database open', async () => {
  await using folder = await folderOf({});
  const path = join(folder.path, 'x.db');
  await using other = await openDb(path);
  await other.migrating((tx) => tx.script(CREATE));
  assert.notEqual(statSync(`${path}-wal`).size, 0);
  writeFileSync(`${path}-failed-sync`, '');
  await using db = await openDb(path);
  assert.equal(statSync(`${path}-wal`).size, 0);
  await db.run(sql`insert into samples (key) values (1)`);
  assert.equal((await other.all(sql`select key from samples`)).length, 1);
});
