import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** The random, unique id of this database. */
export async function readDatabaseId(db: Queryable): Promise<number> {
  const [value] = (await db.tuple(sql`select value from data_versions where name = 'database'`)) as [number];
  return value;
}
