import { chunksOf } from '#platform/chunks.ts';
import type { Db, Queryable } from '../db.ts';
import { list, sql, type Value } from '../sql.ts';
import { insertsOf, deletionOf, rowsWithKeys } from './portions.ts';
import { saveLoadingState } from './loading.ts';
import { hasTable, type Table, tablesOf } from './schema.ts';

/**
 * While a move copies a database in use, triggers note the primary key of every row that is written, in `moved_rows`. The
 * notes stay until the target has the rows on disk, so that a move that was broken off continues.
 */
const LOG =
  'create table if not exists moved_rows (id bigint /*postgres: generated always as identity */ primary key, table_name text not null, row_key text not null)';

/** The notes that are read together: a row that changes often is copied once for all of them. */
const PORTION = 16_384;
/** The keys that one transaction of the target, or one statement, names at most. */
const KEYS_TOGETHER = 128;

/** Starts to note the changes of all tables, one after the other, so that writers wait for a single lock at most. */
export async function startCapture(source: Db): Promise<void> {
  await source.migrating((tx) => tx.script(LOG));
  for (const table of await tablesOf(source)) {
    await source.migrating((tx) => tx.script(source.remote ? postgresTriggers(table) : sqliteTriggers(table)));
  }
}

export async function stopCapture(source: Db): Promise<void> {
  for (const { name } of await tablesOf(source)) {
    await source.migrating((tx) =>
      tx.script(
        source.remote
          ? `drop function if exists note_moved_${name} cascade`
          : EVENTS.map((event) => `drop trigger if exists moved_${name}_${event}`).join(';'),
      ),
    );
  }
  await source.migrating((tx) => tx.script('drop table if exists moved_rows'));
}

const EVENTS = ['insert', 'update', 'delete'] as const;

/** An update notes the old key only where it differs: most updates change counters. */
function sqliteTriggers({ name, key }: Table): string {
  const [before, after] = [`json_array(${columnsOf('old', key)})`, `json_array(${columnsOf('new', key)})`];
  const notes = {
    insert: noteOf(name, after),
    update: `${noteOf(name, after)} ${noteOf(name, before, `${before} <> ${after}`)}`,
    delete: noteOf(name, before),
  };
  return EVENTS.map(
    (event) =>
      `create trigger if not exists moved_${name}_${event} after ${event} on ${name} begin ${notes[event]} end;`,
  ).join('\n');
}

function postgresTriggers({ name, key }: Table): string {
  const noted = (row: string): string => noteOf(name, `json_build_array(${columnsOf(row, key)})::text`);
  return `
    create or replace function note_moved_${name}() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then ${noted('old')}
      else
        if tg_op = 'UPDATE' then
          if row(${columnsOf('old', key)}) is distinct from row(${columnsOf('new', key)}) then ${noted('old')} end if;
        end if;
        ${noted('new')}
      end if;
      return null;
    end $$;
    drop trigger if exists moved_${name} on ${name};
    create trigger moved_${name} after insert or update or delete on ${name}
      for each row execute function note_moved_${name}()`;
}

const noteOf = (name: string, key: string, when = 'true'): string =>
  `insert into moved_rows (table_name, row_key) select '${name}', ${key} where ${when};`;

const columnsOf = (row: string, key: readonly string[]): string => key.map((column) => `${row}.${column}`).join(', ');

type Note = [id: number, table: string, key: string];

/**
 * Brings the rows that have changed so far to the target, as one state of the source has them. All of them are deleted
 * there first, so that no unique name is taken by a row that has given it up meanwhile.
 * @returns the number of notes
 */
export async function applyChanges(source: Db, target: Db): Promise<number> {
  await using snapshot = await source.snapshot();
  if (!(await hasTable(snapshot, 'moved_rows'))) return 0;
  const tables = new Map((await tablesOf(snapshot)).map((table) => [table.name, table]));
  let count = 0;
  for await (const notes of notesOf(snapshot)) {
    for (const [table, keys] of keysOf(notes, tables)) {
      await target.transaction((tx) => tx.run(deletionOf(table, keys)), { durable: false });
    }
    count += notes.length;
  }
  for await (const notes of notesOf(snapshot)) {
    for (const [table, keys] of keysOf(notes, tables)) {
      const inserts = insertsOf(table, await rowsWithKeys(snapshot, table, keys));
      await target.transaction((tx) => tx.runAll(inserts), { durable: false });
    }
  }
  // A durable commit, which also flushes those before it: only then may the notes go.
  await target.transaction((tx) => saveLoadingState(tx, 'changes', String(count)));
  for await (const notes of notesOf(snapshot)) {
    for (const some of chunksOf(notes, KEYS_TOGETHER)) {
      await source.run(sql`delete from moved_rows where id in (${list(some.map(([id]) => id))})`);
    }
  }
  return count;
}

async function* notesOf(snapshot: Queryable): AsyncGenerator<Note[]> {
  for (let last = 0; ;) {
    const notes = (await snapshot.tuples(sql`
      select id, table_name, row_key from moved_rows where id > ${last} order by id limit ${PORTION}`)) as Note[];
    if (notes.length === 0) return;
    yield notes;
    last = notes.at(-1)![0];
  }
}

/** The different keys of the notes by their table, few together. */
function keysOf(notes: readonly Note[], tables: ReadonlyMap<string, Table>): [Table, Value[][]][] {
  const byTable = Map.groupBy(notes, ([, table]) => table);
  return [...byTable].flatMap(([name, rows]) => {
    const keys = [...new Set(rows.map(([, , key]) => key))].map((key) => JSON.parse(key) as Value[]);
    return [...chunksOf(keys, KEYS_TOGETHER)].map((some): [Table, Value[][]] => [tables.get(name)!, some]);
  });
}
