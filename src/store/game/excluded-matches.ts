import { exists, type Queryable } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';

/**
 * Matches that count in no statistics, leaderboards, ranks and results of maps, and in none of the network's own counters:
 * those with values that no game gives, until an operator counts them, and those that an operator excluded.
 */

/** The condition that a match counts. @param key the column with its key */
export const isCounted = (key: Sql): Sql =>
  sql`not exists (select 1 from excluded_matches x where x.match_key = ${key})`;

export const isExcluded = (db: Queryable, key: number): Promise<boolean> =>
  exists(db, sql`select 1 as found from excluded_matches where match_key = ${key}`);

export async function excludedAmong(db: Queryable, keys: readonly number[]): Promise<ReadonlySet<number>> {
  if (keys.length === 0) return new Set();
  const rows = await db.tuples(sql`select match_key from excluded_matches where match_key in (${list(keys)})`);
  return new Set(rows.map(([key]) => key as number));
}

/** Excluded matches with keys below `before`, newest first. */
export const listExcluded = (
  db: Queryable,
  before: number,
  limit: number,
): Promise<{ key: number; head: string; finished: number }[]> =>
  db.all(sql`
    select m.key, m.head, m.finished from excluded_matches x join matches m on m.key = x.match_key
    where x.match_key < ${before} order by x.match_key desc limit ${limit}`);

export async function saveExcluded(tx: Queryable, key: number, excluded: boolean): Promise<void> {
  await tx.run(
    excluded
      ? sql`insert into excluded_matches (match_key) values (${key})`
      : sql`delete from excluded_matches where match_key = ${key}`,
  );
}
