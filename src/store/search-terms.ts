import { nameKey } from '#platform/text/text.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

export type SearchKind = 'account' | 'application' | 'player' | 'server' | 'map';

/**
 * What has a name, an address or a UUID of which a word begins with the text, in any case: ids of accounts and
 * applications, keys of the others, by range look-ups of `search_terms`, whose rows the triggers of `028-search.sql` derive.
 */
export async function findByWord(db: Queryable, kind: SearchKind, text: string, limit: number): Promise<string[]> {
  const key = nameKey(text);
  // A UUID is stored without its dashes.
  const term = /^[\da-f]{8}-[\da-f-]*$/.test(key) ? key.replaceAll('-', '') : key;
  const rows = await db.tuples(sql`
    select ref from search_terms
    where kind = ${kind} and term >= ${term} and term < ${`${term}\u{10ffff}`} order by term limit ${limit * 4}`);
  return [...new Set(rows.map(([ref]) => ref as string))].slice(0, limit);
}
