import { InputError } from '../finding.ts';

/** The database of another program, opened for reading. */
export interface SourceDatabase extends AsyncDisposable {
  readonly dialect: 'mysql' | 'postgres' | 'sqlite';
  /** Host, port and database, or the file; never a password. Identifies the source between imports. */
  readonly label: string;
  /** The rows of a `select` with `?` for each value. */
  rows(text: string, values?: readonly (string | number)[]): Promise<SourceRow[]>;
}

/** A database on a server. */
export interface ServerAddress {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  /** Whether the connection is encrypted, and the certificate of the server checked. */
  tls: boolean;
}

/** Numbers of any size: `bigint` from SQLite, text from MySQL. */
export type SourceRow = Record<string, unknown>;

/** Thrown when the database temporarily cannot be read. */
export class SourceUnavailable extends InputError {}

export interface SourceTable {
  /** In the spelling of the database. */
  name: string;
  /** In lower case. */
  columns: ReadonlySet<string>;
}

/** The columns that an import needs, by table. */
export type Layout = Readonly<Record<string, readonly string[]>>;

const COLUMNS = {
  mysql: `select table_name as t, column_name as c from information_schema.columns where table_schema = database()`,
  postgres: `select table_name as t, column_name as c from information_schema.columns
    where table_schema = any (current_schemas(false))`,
  sqlite: `select m.name as t, p.name as c from sqlite_schema m join pragma_table_info(m.name) p
    where m.type in ('table', 'view')`,
};
/** Maximum tables that an error lists, to show a wrong prefix or database. */
const LISTED = 8;

/**
 * Checks that the database has the tables and columns that an import needs.
 * @param program the program and its versions with this layout
 * @returns the tables in the spelling of the database
 * @throws InputError with the missing ones
 */
export async function checkLayout(
  source: SourceDatabase,
  layout: Layout,
  { program, hint }: { program: string; hint: string },
): Promise<Map<string, SourceTable>> {
  const columns = await source.rows(COLUMNS[source.dialect]);
  const tables = Map.groupBy(columns, ({ t }) => String(t));
  const found = new Map<string, SourceTable>();
  for (const [name, needed] of Object.entries(layout)) {
    const table = [...tables.keys()].find((one) => one.toLowerCase() === name.toLowerCase());
    if (table === undefined)
      throw new InputError(
        `${source.label} has no table ${name} that this user may read, as ${program} has. ${hint}${joinTables([...tables.keys()])}`,
      );
    const known = new Set(tables.get(table)!.map(({ c }) => String(c).toLowerCase()));
    const missing = needed.filter((column) => !known.has(column.toLowerCase()));
    if (missing.length > 0)
      throw new InputError(
        `The table ${table} of ${source.label} has no column ${missing.join(', ')} that this user may read; ${program} has ${needed.join(', ')}.`,
      );
    found.set(name, { name: table, columns: known });
  }
  return found;
}

function joinTables(tables: readonly string[]): string {
  if (tables.length === 0) return ' This user sees no table.';
  const more = tables.length > LISTED ? ` and ${tables.length - LISTED} more` : '';
  return ` This user sees: ${tables.slice(0, LISTED).join(', ')}${more}.`;
}

/** The first characters of a text, so that a page of rows has a bounded size. */
export const textColumn = (column: string, max: number, alias = column): string =>
  `substr(${quoted(column)}, 1, ${max}) as ${quoted(alias)}`;

/** A number that MySQL may store as bits or as text. */
export const numberColumn = (column: string, alias = column): string => `${quoted(column)} + 0 as ${quoted(alias)}`;

/** The quoted name of a table or column, `table.column` included. SQLite reads backquotes as MySQL does. */
export const quoted = (name: string): string =>
  name
    .split('.')
    .map((part) => `\`${part.replaceAll('`', '``')}\``)
    .join('.');

/** The placeholders of `in (…)`. */
export const placeholders = (count: number): string => Array.from({ length: count }, () => '?').join(', ');
