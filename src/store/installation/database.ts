import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';

export interface TableSize {
  table: string;
  /** With its indexes. */
  bytes: number;
}

/**
 * The size of the database in bytes, without SQLite's WAL, and of its tables on PostgreSQL; SQLite would have to scan the
 * whole file for them. Each database has its own catalogues for these figures, so each has its own statements.
 */
export async function databaseSize(db: Db): Promise<{ bytes: number; tables: TableSize[] }> {
  if (db.dialect === 'sqlite') {
    const [bytes] = (await db.tuple(sql`
      select page_count * page_size from pragma_page_count, pragma_page_size`)) as [number];
    return { bytes, tables: [] };
  }
  const tables = await db.all<TableSize>(sql`
    select relname as "table", pg_total_relation_size(oid) as bytes
    from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace order by relname`);
  const [bytes] = (await db.tuple(sql`select pg_database_size(current_database())`)) as [number];
  return { bytes, tables };
}
