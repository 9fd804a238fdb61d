import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { folderOf } from '#test/packages/importers/fixtures.ts';

const CREATE = 'create table turns (number integer primary key, process text)';

const lastTurn = async (db: Db): Promise<number> =>
  Number((await db.tuple(sql`select coalesce(max(number), 0) from turns`))![0]);

/** Writes one row. @returns the number of transactions that others committed between the request and this one */
async function writeTurn(db: Db, process: string): Promise<number> {
  const before = await lastTurn(db);
  return await db.transaction(async (tx) => {
    const [number] = (await tx.tuple(sql`insert into turns (process) values (${process}) returning number`))!;
    await pause(1);
    return Number(number) - before - 1;
  });
}

test('connections that write without a break let others write in turn', async () => {
  await using folder = await folderOf({});
  const path = join(folder.path, 'x.db');
  await using first = await openDb(path);
  await first.migrating((tx) => tx.script(CREATE));
  await using second = await openDb(path);
  const others = [await openDb(path), await openDb(path)];
  const end = new AbortController();
  const busy = async (db: Db): Promise<void> => {
    while (!end.signal.aborted) await writeTurn(db, 'busy');
  };
  const waits: number[] = [];
  const rare = async (db: Db): Promise<void> => {
    for (let count = 0; count < 20; count++) {
      waits.push(await writeTurn(db, 'rare'));
      await pause(count % 5);
    }
    await db.close();
  };
  const running = [busy(first), busy(second)];
  await Promise.all(others.map(rare));
  end.abort();
  await Promise.all(running);
  assert.equal(waits.length, 40);
  // Four connections: one writes, one has the turn, and of the two others the longer waiting connection usually goes first.
  // The mean, because the longest of the waits depends on when the system runs a timer.
  const mean = waits.reduce((sum, wait) => sum + wait) / waits.length;
  assert.ok(mean <= 4, `waited for ${waits.join(', ')} transactions`);
});

test('a connection knows whether another one waits to write', async () => {
  await using folder = await folderOf({});
  const path = join(folder.path, 'x.db');
  await using db = await openDb(path);
  await db.migrating((tx) => tx.script(CREATE));
  await using other = await openDb(path);
  assert.equal(db.othersWait(), false);
  let waiting: Promise<number> | undefined;
  await db.transaction(async () => {
    assert.equal(db.othersWait(), false);
    waiting = writeTurn(other, 'other');
    assert.equal(other.othersWait(), false, 'the connection itself does not count');
    while (!db.othersWait()) await pause(1);
  });
  assert.equal(await waiting, 0);
  assert.equal(db.othersWait(), false);
});

test('a stopped process that has the turn does not stop the writers', async () => {
  await using folder = await folderOf({});
  const path = join(folder.path, 'x.db');
  await using db = await openDb(path);
  await db.migrating((tx) => tx.script(CREATE));
  assert.equal(statSync(`${path}-turn`).mode & 0o777, 0o600);
  const holder = new DatabaseSync(`${path}-turn`);
  holder.exec('begin immediate');
  assert.equal(await writeTurn(db, 'rare'), 0);
  holder.close();
  assert.equal(await writeTurn(db, 'rare'), 0);
});
