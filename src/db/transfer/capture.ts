import { chunksOf } from '#platform/streams/chunks.ts';
import type { Db, Queryable, Snapshot } from '../db.ts';
import { list, type Sql, sql, type Value } from '../sql.ts';
import type { Comparison } from './comparison.ts';
import { insertStatements, deleteStatement, rowsWithKeys } from './chunks.ts';
import { EVENTS } from './closing.ts';
import { saveLoadingState } from './loading.ts';
import { hasTable, listTables, scriptForEachTable, type Table } from './schema.ts';

/**
 * While a move copies a database in use, triggers note the primary key of every row that is written, in `moved_rows`. The
 * notes stay until the target has the rows on disk, so that an interrupted move can be resumed.
 */
const LOG =
  'create table if not exists moved_rows (id bigint /*postgres: generated always as identity */ primary key, table_name text not null, row_key text not null)';

/** Notes per read: a row that changes often is copied once for all of them. */
const NOTES_TOGETHER = 1_024;
/** Maximum keys per transaction of the target and per statement. */
const KEYS_TOGETHER = 128;

/** Starts to note the changes of all tables. */
export async function startCapture(source: Db): Promise<void> {
  await source.migrating((tx) => tx.script(LOG));
  await scriptForEachTable(source, source.remote ? postgresTriggers : sqliteTriggers);
}

export async function stopCapture(source: Db): Promise<void> {
  await scriptForEachTable(source, ({ name }) =>
    source.remote
      ? `drop function if exists note_moved_${name} cascade`
      : EVENTS.map((event) => `drop trigger if exists moved_${name}_${event}`).join(';'),
  );
  await source.migrating((tx) => tx.script('drop table if exists moved_rows'));
}

/** An update notes the old key only if it differs: most updates change counters. */
function sqliteTriggers({ name, key }: Table): string {
  const [before, after] = [`json_array(${keyColumns('old', key)})`, `json_array(${keyColumns('new', key)})`];
  const notes = {
    insert: insertNote(name, after),
    update: `${insertNote(name, after)} ${insertNote(name, before, `${before} <> ${after}`)}`,
    delete: insertNote(name, before),
  };
  return EVENTS.map(
    (event) =>
      `create trigger if not exists moved_${name}_${event} after ${event} on ${name} begin ${notes[event]} end;`,
  ).join('\n');
}

function postgresTriggers({ name, key }: Table): string {
  const noted = (row: string): string => insertNote(name, `json_build_array(${keyColumns(row, key)})::text`);
  return `
    create or replace function note_moved_${name}() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then ${noted('old')}
      else
        if tg_op = 'UPDATE' then
          if row(${keyColumns('old', key)}) is distinct from row(${keyColumns('new', key)}) then ${noted('old')} end if;
        end if;
        ${noted('new')}
      end if;
      return null;
    end $$;
    drop trigger if exists moved_${name} on ${name};
    create trigger moved_${name} after insert or update or delete on ${name}
      for each row execute function note_moved_${name}()`;
}

const insertNote = (name: string, key: string, when = 'true'): string =>
  `insert into moved_rows (table_name, row_key) select '${name}', ${key} where ${when};`;

const keyColumns = (row: string, key: readonly string[]): string => key.map((column) => `${row}.${column}`).join(', ');

type Note = [id: number, table: string, key: string];

/**
 * Brings the rows that have changed so far to the target, as one state of the source has them.
 * @param comparison follows the changes
 * @returns the number of notes
 */
export async function applyChanges(source: Db, target: Db, comparison?: Comparison): Promise<number> {
  await using snapshot = await source.snapshot();
  return await applyChangesIn(snapshot, source, target, comparison);
}

/**
 * Brings the target to the state of a snapshot, as far as rows have been copied. All changed rows are deleted there first,
 * so that no unique name is taken by a row that has given it up meanwhile.
 */
export async function applyChangesIn(
  snapshot: Snapshot,
  source: Db,
  target: Db,
  comparison?: Comparison,
): Promise<number> {
  if (!(await hasTable(snapshot, 'moved_rows'))) return 0;
  /** @param expected the rows of the source with these keys */
  const write = async (table: Table, keys: Value[][], expected: Value[][], statements: readonly Sql[]) => {
    const before = comparison && (await rowsWithKeys(target, table, keys));
    await target.transaction((tx) => tx.runAll(statements), { durable: false });
    if (before === undefined) return;
    comparison!.replace(table, before, { expected, found: await rowsWithKeys(target, table, keys) });
  };
  for await (const [table, keys] of changedKeys(snapshot)) await write(table, keys, [], [deleteStatement(table, keys)]);
  for await (const [table, keys] of changedKeys(snapshot)) {
    const rows = await rowsWithKeys(snapshot, table, keys);
    await write(table, keys, rows, insertStatements(table, rows));
  }
  // A durable commit, which also flushes those before it: only then may the notes go.
  await target.transaction((tx) => saveLoadingState(tx, 'changes', ''));
  return await deleteNotes(snapshot, source);
}

async function deleteNotes(snapshot: Snapshot, source: Db): Promise<number> {
  let count = 0;
  for await (const notes of readNotes(snapshot)) {
    count += notes.length;
    for (const some of chunksOf(notes, KEYS_TOGETHER)) {
      await source.run(sql`delete from moved_rows where id in (${list(some.map(([id]) => id))})`);
    }
  }
  return count;
}

async function* readNotes(snapshot: Queryable): AsyncGenerator<Note[]> {
  for (let last = 0; ;) {
    const notes = (await snapshot.tuples(sql`
      select id, table_name, row_key from moved_rows where id > ${last} order by id limit ${NOTES_TOGETHER}`)) as Note[];
    if (notes.length === 0) return;
    yield notes;
    last = notes.at(-1)![0];
  }
}

/** The different keys of each page of notes by their table, few together. */
async function* changedKeys(snapshot: Queryable): AsyncGenerator<[Table, Value[][]]> {
  const tables = new Map((await listTables(snapshot)).map((table) => [table.name, table]));
  for await (const notes of readNotes(snapshot)) {
    for (const [name, rows] of Map.groupBy(notes, ([, table]) => table)) {
      for (const keys of chunksOf(new Set(rows.map(([, , key]) => key)), KEYS_TOGETHER)) {
        yield [tables.get(name)!, keys.map((key) => JSON.parse(key) as Value[])];
      }
    }
  }
}
