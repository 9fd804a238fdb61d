import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openDb } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { createTestDatabase } from '../support/hall.ts';

/** How many pages stand in the log of a file, and how many of them in the file itself. */
function logOf(path: string): { log: number; checkpointed: number } {
  const db = new DatabaseSync(path);
  const { log, checkpointed } = db.prepare('pragma wal_checkpoint(noop)').get() as {
    log: number;
    checkpointed: number;
  };
  db.close();
  return { log, checkpointed };
}

test('a log that grows is brought into the file beside whoever writes, and one that is short is let be', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  await using db = await openDb(database.url, { lazy: true });
  await db.migrating((tx) => tx.script('create table things (key bigint primary key, text text not null)'));
  const write = (from: number, count: number): Promise<void> =>
    db.runAll(
      Array.from(
        { length: count },
        (_, place) => sql`insert into things values (${from + place}, ${'x'.repeat(3_500)})`,
      ),
    );
  await write(0, 100);
  assert.equal(logOf(database.url).checkpointed, 0);
  await write(100, 1_500);
  while (logOf(database.url).checkpointed < 1_500) await setImmediate();
  await write(1_600, 10);
  assert.deepEqual(await db.tuples(sql`select count(*) from things`), [[1_610]]);
});
