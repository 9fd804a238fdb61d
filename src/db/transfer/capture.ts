import type { Db, Queryable } from '../db.ts';
import { list, type Sql, sql, type Value } from '../sql.ts';
import { insertsOf, deletionOf, rowsWithKeys } from './portions.ts';
import { saveLoadingState } from './loading.ts';
import { hasTable, type Table, tablesOf } from './schema.ts';

/**
 * While a move copies a database in use, triggers note the primary key of every row that is written, in `moved_rows`. The
 * notes stay until the target has the rows on disk, so that a move that was broken off continues.
 */
const LOG =
  'create table if not exists moved_rows (id bigint /*postgres: generated always as identity */ primary key, table_name text not null, row_key text not null)';

/** The notes of one portion; each of its statements names as many keys at most. */
const PORTION = 128;

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
const ROWS_OF = { insert: ['new'], update: ['old', 'new'], delete: ['old'] } as const;

function sqliteTriggers({ name, key }: Table): string {
  return EVENTS.map((event) => {
    const notes = ROWS_OF[event].map((row) => noteOf(name, `json_array(${columnsOf(row, key)})`));
    return `create trigger if not exists moved_${name}_${event} after ${event} on ${name} begin ${notes.join(' ')} end;`;
  }).join('\n');
}

function postgresTriggers({ name, key }: Table): string {
  const noted = (row: string): string => noteOf(name, `json_build_array(${columnsOf(row, key)})::text`);
  return `
    create or replace function note_moved_${name}() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then ${noted('old')} end if;
      if tg_op <> 'DELETE' then ${noted('new')} end if;
      return null;
    end $$;
    drop trigger if exists moved_${name} on ${name};
    create trigger moved_${name} after insert or update or delete on ${name}
      for each row execute function note_moved_${name}()`;
}

const noteOf = (name: string, key: string): string =>
  `insert into moved_rows (table_name, row_key) values ('${name}', ${key});`;

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
    await target.transaction(
      async (tx) => {
        for (const [table, keys] of keysOf(notes, tables)) await tx.run(deletionOf(table, keys));
      },
      { durable: false },
    );
    count += notes.length;
  }
  for await (const notes of notesOf(snapshot)) {
    const inserts: Sql[] = [];
    for (const [table, keys] of keysOf(notes, tables)) {
      inserts.push(...insertsOf(table, await rowsWithKeys(snapshot, table, keys)));
    }
    await target.transaction((tx) => tx.runAll(inserts), { durable: false });
  }
  // A durable commit, which also flushes those before it: only then may the notes go.
  await target.transaction((tx) => saveLoadingState(tx, 'changes', String(count)));
  for await (const notes of notesOf(snapshot)) {
    await source.run(sql`delete from moved_rows where id in (${list(notes.map(([id]) => id))})`);
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

function keysOf(notes: readonly Note[], tables: ReadonlyMap<string, Table>): [Table, Value[][]][] {
  const byTable = Map.groupBy(notes, ([, table]) => table);
  return [...byTable].map(([name, rows]) => {
    const keys = new Set(rows.map(([, , key]) => key));
    return [tables.get(name)!, [...keys].map((key) => JSON.parse(key) as Value[])];
  });
}
