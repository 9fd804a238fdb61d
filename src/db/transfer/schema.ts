import type { Db, Queryable } from '../db.ts';
import { type Sql, sql } from '../sql.ts';
import { readdirSync, readFileSync } from 'node:fs';

/** A table as its database describes it, so that the copies of older versions of the program can be read too. */
export interface Table {
  name: string;
  columns: readonly Column[];
  /** The names of the columns of the primary key, in its order. */
  key: readonly string[];
}

export interface Column {
  name: string;
  integer: boolean;
}

/**
 * Tables that belong to one database and not to the network: the schema, its id and data versions, what the installation
 * says about itself, the notes that wait for their file, and the present streams.
 */
const OWN_TABLES: ReadonlySet<string> = new Set([
  'migrations',
  'data_versions',
  'installation',
  'moved_rows',
  'revocations',
  'open_streams',
]);
/** Tables that exist only while a database is being loaded, and in a backup file. */
const AUXILIARY = /^(loading_|backup_|sqlite_)/;

interface ColumnRow {
  table_name: string;
  column_name: string;
  type: string;
  place: number | null;
}

/**
 * The tables that a backup and a move carry, each after those that its foreign keys refer to. Tables that the operator
 * added are left out: a new database would not have them.
 */
export async function listTables(db: Queryable): Promise<Table[]> {
  const columns = await db.all<ColumnRow>(db.remote ? POSTGRES_COLUMNS : SQLITE_COLUMNS);
  const references = await db.tuples(db.remote ? POSTGRES_REFERENCES : SQLITE_REFERENCES);
  const ours = schemaTables();
  const byName = Map.groupBy(columns, ({ table_name }) => table_name);
  const carried = (name: string): boolean => ours.has(name) && !OWN_TABLES.has(name) && !AUXILIARY.test(name);
  const tables = [...byName].filter(([name]) => carried(name)).map(toTable);
  return inOrderOfReferences(
    tables,
    (references as [string, string][]).filter(([from, to]) => carried(from) && carried(to)),
  );
}

/** Runs a text for each table, one after the other, so that a writer waits for one lock at most. */
export async function scriptForEachTable(db: Db, textFor: (table: Table) => string): Promise<void> {
  for (const table of await listTables(db)) await db.migrating((tx) => tx.script(textFor(table)));
}

function toTable([name, rows]: [string, ColumnRow[]]): Table {
  const key = rows.filter(({ place }) => place !== null && place > 0).sort((a, b) => a.place! - b.place!);
  if (key.length === 0) throw new Error(`The table ${name} has no primary key, so it cannot be copied in chunks.`);
  // In the order of the names: an added column is the last one in one database and in its place in another.
  const columns = rows.map(({ column_name, type }) => ({
    name: column_name,
    integer: /^(integer|bigint)$/i.test(type),
  }));
  columns.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { name, columns, key: key.map(({ column_name }) => column_name) };
}

function inOrderOfReferences(tables: Table[], references: readonly [from: string, to: string][]): Table[] {
  const ordered: Table[] = [];
  const remaining = new Map(tables.map((table) => [table.name, table]));
  while (remaining.size > 0) {
    const free = [...remaining.values()].filter(
      ({ name }) => !references.some(([from, to]) => from === name && to !== name && remaining.has(to)),
    );
    if (free.length === 0) throw new Error(`Foreign keys form a cycle: ${[...remaining.keys()].join(', ')}`);
    free.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const table of free) remaining.delete(table.name);
    ordered.push(...free);
  }
  return ordered;
}

const SQLITE_COLUMNS: Sql = sql`
  select t.name as table_name, c.name as column_name, c.type as type, c.pk as place
  from sqlite_schema t join pragma_table_info(t.name) c where t.type = 'table'`;

const SQLITE_REFERENCES: Sql = sql`
  select distinct t.name, r."table" from sqlite_schema t join pragma_foreign_key_list(t.name) r where t.type = 'table'`;

const POSTGRES_COLUMNS: Sql = sql`
  select c.relname as table_name, a.attname as column_name, format_type(a.atttypid, null) as type,
    array_position(i.indkey::int2[], a.attnum) + 1 as place
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`;

const POSTGRES_REFERENCES: Sql = sql`
  select distinct f.relname, t.relname from pg_constraint r
  join pg_class f on f.oid = r.conrelid join pg_class t on t.oid = r.confrelid
  where r.contype = 'f' and f.relnamespace = current_schema()::regnamespace`;

export async function hasTable(db: Queryable, name: string): Promise<boolean> {
  const query = db.remote
    ? sql`select 1 as found from pg_class where relname = ${name} and relnamespace = current_schema()::regnamespace`
    : sql`select 1 as found from sqlite_schema where type = 'table' and name = ${name}`;
  return (await db.tuple(query)) !== undefined;
}

export const MIGRATIONS = new URL('../migrations/', import.meta.url);

/** The names of all tables that a migration creates, to recognise tables that the operator added to the database. */
function schemaTables(): ReadonlySet<string> {
  const texts = migrationFiles().map((name) => readFileSync(new URL(name, MIGRATIONS), 'utf8'));
  const created = texts.flatMap((text) => [
    ...text.matchAll(/\bcreate table (?:if not exists )?(\w+)|\brename to (\w+)/g),
  ]);
  return new Set(created.map(([, table, renamed]) => (table ?? renamed)!));
}

export const migrationFiles = (): string[] =>
  readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort();
