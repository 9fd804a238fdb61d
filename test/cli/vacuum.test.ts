import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { sql } from '#db/sql.ts';
import { login, person, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { scorehall } from './scorehall.ts';

/** A text that nothing else in the file contains. */
const DELETED = 'Vqxzjk_Deleted';

/** Leaves a deleted text in the file, as SQLite does when it moves rows to another page. */
function leaveDeleted(file: string): void {
  const db = new DatabaseSync(file);
  db.exec(`
    pragma secure_delete = off;
    create table former (text text);
    insert into former values ('${DELETED}');
    delete from former;
    pragma wal_checkpoint(truncate)`);
  db.close();
}

onEachDatabase('vacuum leaves nothing of deleted rows in a SQLite file that is in use', async (t, url, dialect) => {
  const context = await testContext(t, url);
  const vacuum = () => scorehall({ DATABASE_URL: url }, 'vacuum', '--json');
  if (dialect === 'postgres') {
    const { status, err } = await vacuum();
    assert.deepEqual([status, /VACUUM FULL/.test(err)], [2, true], err);
    return;
  }
  const contains = (): boolean => [url, `${url}-wal`].some((path) => readFileSync(path).includes(DELETED));
  leaveDeleted(url);
  assert.ok(contains());
  const snapshot = await context.db.snapshot();
  const [before] = await snapshot.tuples(sql`select count(*) from ledger`);
  const sent = sendEvents(context, ...Array.from({ length: 20 }, (_, number) => login('Alpha', person(number))));
  const done = vacuum();
  await sent;
  assert.deepEqual(
    await snapshot.tuples(sql`select count(*) from ledger`),
    [before],
    'it waits for those who read an earlier state',
  );
  await snapshot[Symbol.asyncDispose]();
  const { status, out, err } = await done;
  assert.equal(status, 0, err);
  const { file, bytes_before, bytes_after } = JSON.parse(out) as Record<string, unknown>;
  assert.equal(file, url);
  assert.ok(Number(bytes_before) > 0 && Number(bytes_after) > 0);
  assert.ok(!contains());
  assert.deepEqual(await context.db.tuples(sql`select count(*) from ledger`), [[20]]);
  const recorded = await context.db.tuples(sql`select subject from audit where action = 'database.vacuum'`);
  assert.deepEqual(recorded, [[url]]);
});
