import type { Db, Queryable } from '#db/db.ts';
import { identifier, join, type Sql, sql } from '#db/sql.ts';
import { listTables } from '#db/transfer/schema.ts';

let names: Promise<readonly string[]> | undefined;

/** The names of the tables that a backup carries. All migrated databases have the same, and reading them takes long. */
export async function tableNames(db: Db): Promise<readonly string[]> {
  return await (names ??= listTables(db).then((tables) => tables.map(({ name }) => name)));
}

const statements = new WeakMap<readonly string[], Sql>();

/**
 * All rows of tables, each as the name of the table, a space and JSON. PostgreSQL reads them with one statement, because
 * each statement wakes two processes.
 */
export async function rowsOf(db: Queryable, tables: readonly string[]): Promise<string[]> {
  if (db.remote) {
    const statement = statements.get(tables) ?? unionOf(tables);
    statements.set(tables, statement);
    return (await db.all<{ row: string }>(statement)).map(({ row }) => row);
  }
  const rows = [];
  for (const name of tables) {
    const found = await db.all(sql`select * from ${identifier(name)}`);
    rows.push(...found.map((row) => `${name} ${JSON.stringify(row)}`));
  }
  return rows;
}

const unionOf = (tables: readonly string[]): Sql =>
  join(
    tables.map((name) => sql`select ${name}::text || ' ' || row_to_json(t)::text as row from ${identifier(name)} t`),
    ' union all ',
  );
