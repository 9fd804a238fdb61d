import type { Db } from '#db/db.ts';
import { listTables } from '#db/transfer/schema.ts';
import { identifier, sql } from '#db/sql.ts';

/** A table in which the service inserted rows of matches, and its column with the key of the match. */
export interface WrittenTable {
  table: string;
  owner: string;
}

/** The tables that are keyed by the event of a match, which has the key of the match. */
const KEYED_BY_EVENT: ReadonlySet<string> = new Set(['matches', 'ledger']);

/** The tables in which the service inserted rows of matches, each after those that it refers to. */
export async function writtenTables(db: Db): Promise<WrittenTable[]> {
  const written: WrittenTable[] = [];
  for (const { name: table, columns } of await listTables(db)) {
    const owner = KEYED_BY_EVENT.has(table) ? 'key' : 'match_key';
    if (!columns.some(({ name }) => name === owner)) continue;
    const row = await db.tuple(sql`select 1 from ${identifier(table)} limit 1`);
    if (row !== undefined) written.push({ table, owner });
  }
  return written;
}
