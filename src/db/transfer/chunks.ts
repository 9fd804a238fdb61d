import type { Cell, Queryable } from '../db.ts';
import { identifier, join, list, row, type Sql, sql, type Value, withRows } from '../sql.ts';
import type { Table } from './schema.ts';

/** Approximate maximum of a chunk in memory; a chunk has at least one row. */
const CHUNK_BYTES = 1_000_000;
const FIRST_CHUNK_ROWS = 32;
const MAX_CHUNK_ROWS = 2_000;

/** Rows of a table, read together. */
export interface Chunk {
  rows: readonly (readonly Value[])[];
  /** The primary key of the last row, from which the next chunk continues. */
  last: readonly Value[];
}

/**
 * Reads a table in the order of its primary key, in chunks of about a megabyte, so that memory does not grow with the
 * table or with the length of its rows.
 * @param after the key after which to begin
 */
export async function* readChunks(db: Queryable, table: Table, after?: readonly Value[]): AsyncGenerator<Chunk> {
  let limit = FIRST_CHUNK_ROWS;
  for (let last = after; ;) {
    const rows = await readRows(db, table, (columns) => chunkQuery(table, columns, last, limit));
    if (rows.length === 0) return;
    last = keyIn(table, rows.at(-1)!);
    yield { rows, last };
    if (rows.length < limit) return;
    limit = nextLimit(rows);
  }
}

/** The rows with these primary keys, as far as they exist. */
export async function rowsWithKeys(
  db: Queryable,
  table: Table,
  keys: readonly (readonly Value[])[],
): Promise<Value[][]> {
  if (keys.length === 0) return [];
  return await readRows(
    db,
    table,
    (columns) => sql`select ${columns} from ${identifier(table.name)} where ${keyIsIn(table, keys)}`,
  );
}

/**
 * Statements that insert rows, whose cells are in the order of the columns. Rows that exist stay: in a move, a changed row
 * may arrive before the chunk that it belongs to.
 */
export function insertStatements({ name, columns, key }: Table, rows: readonly (readonly Value[])[]): Sql[] {
  const names = columns.map((column) => column.name).join(', ');
  const tail = `on conflict (${key.join(', ')}) do nothing`;
  return withRows(`insert into ${name} (${names}) values`, columns.length, rows.flat(), tail);
}

export function deleteStatement(table: Table, keys: readonly (readonly Value[])[]): Sql {
  return sql`delete from ${identifier(table.name)} where ${keyIsIn(table, keys)}`;
}

/** Alternatives instead of a list of composite keys, for which SQLite would scan the table. */
function keyIsIn({ key }: Table, keys: readonly (readonly Value[])[]): Sql {
  if (key.length === 1) return sql`${identifier(key[0]!)} in (${list(keys.map(([value]) => value!))})`;
  const padded = [...keys];
  // A power of two keeps the number of prepared statements small.
  while ((padded.length & (padded.length - 1)) !== 0) padded.push(keys.at(-1)!);
  const equal = (values: readonly Value[]): Sql[] =>
    key.map((column, place) => sql`${identifier(column)} = ${values[place]!}`);
  return sql`(${join(
    padded.map((values) => join(equal(values), ' and ')),
    ' or ',
  )})`;
}

function chunkQuery({ name, key }: Table, columns: Sql, after: readonly Value[] | undefined, limit: number): Sql {
  // Qualified, because PostgreSQL would sort by a column of the result with the same name.
  const order = join(key.map((column) => sql`${identifier(name)}.${identifier(column)}`));
  const from = after === undefined ? sql`` : sql`where (${order}) > ${row(after)}`;
  return sql`select ${columns} from ${identifier(name)} ${from} order by ${order} limit ${limit}`;
}

/** Both drivers read an integer beyond 2^53 as the largest safe one. Then the rows are read again, exactly. */
async function readRows(db: Queryable, table: Table, query: (columns: Sql) => Sql): Promise<Value[][]> {
  const rows = await db.tuples(query(join(table.columns.map(({ name }) => identifier(name)))));
  if (!rows.some((cells) => cells.some(isClamped))) return rows;
  const exact = table.columns.map(({ name, integer }) =>
    integer ? sql`cast(${identifier(name)} as text)` : identifier(name),
  );
  const texts = await db.tuples(query(join(exact)));
  return texts.map((cells) => cells.map((cell, place) => (table.columns[place]!.integer ? toInteger(cell) : cell)));
}

const isClamped = (cell: Cell): boolean => typeof cell === 'number' && Math.abs(cell) === Number.MAX_SAFE_INTEGER;

function toInteger(cell: Cell): Value {
  if (cell === null) return null;
  const number = Number(cell);
  return Math.abs(number) < Number.MAX_SAFE_INTEGER ? number : BigInt(cell as string);
}

const keyIn = ({ columns, key }: Table, cells: readonly Value[]): Value[] =>
  key.map((name) => cells[columns.findIndex((column) => column.name === name)]!);

/** As many rows as the average length of the last ones allows, at most four times as many as before. */
function nextLimit(rows: readonly (readonly Value[])[]): number {
  let bytes = 1;
  for (const cells of rows) {
    for (const cell of cells) {
      bytes += typeof cell === 'string' ? cell.length : cell instanceof Uint8Array ? cell.byteLength : 8;
    }
  }
  const fitting = Math.floor((CHUNK_BYTES / bytes) * rows.length);
  const limit = Math.max(1, Math.min(fitting, rows.length * 4, MAX_CHUNK_ROWS));
  // A power of two keeps the number of prepared statements of the inserts small.
  return 2 ** Math.floor(Math.log2(limit));
}
