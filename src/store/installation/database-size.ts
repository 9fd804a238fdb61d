import type { Db } from '#db/db.ts';
import { identifier, sql } from '#db/sql.ts';

export interface TableSize {
  table: string;
  /** With its indexes; undefined on SQLite, which would have to scan the whole file. */
  bytes: number | undefined;
  /** An estimate: the planner's on PostgreSQL, the span of the row ids on SQLite. */
  rows: number;
}

/**
 * The size of the database in bytes, without SQLite's WAL, and of its tables, without reading their rows. Each database
 * has its own catalogues for these figures, so each has its own statements.
 */
export async function databaseSize(db: Db): Promise<{ bytes: number; tables: TableSize[] }> {
  return db.dialect === 'sqlite' ? await sqliteSize(db) : await postgresSize(db);
}

async function postgresSize(db: Db): Promise<{ bytes: number; tables: TableSize[] }> {
  const tables = await db.all<TableSize>(sql`
    select relname as "table", pg_total_relation_size(oid) as bytes, greatest(reltuples, 0)::bigint as rows
    from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace order by relname`);
  const [bytes] = (await db.tuple(sql`select pg_database_size(current_database())`)) as [number];
  return { bytes, tables };
}

async function sqliteSize(db: Db): Promise<{ bytes: number; tables: TableSize[] }> {
  const [bytes] = (await db.tuple(sql`
    select page_count * page_size from pragma_page_count, pragma_page_size`)) as [number];
  // A table without row ids has no maximum to look up.
  const names = await db.all<{ name: string }>(sql`
    select name from pragma_table_list where schema = 'main' and type = 'table' and wr = 0 and name not like 'sqlite_%'
    order by name`);
  const tables: TableSize[] = [];
  for (const { name } of names) {
    const [rows] = (await db.tuple(sql`
      select coalesce((select max(rowid) from ${identifier(name)}) - (select min(rowid) from ${identifier(name)}) + 1, 0)`)) as [
      number,
    ];
    tables.push({ table: name, bytes: undefined, rows });
  }
  return { bytes, tables };
}
