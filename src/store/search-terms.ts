import { nameKey } from '#text/text.ts';
import type { Queryable } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';

export type SearchKind = 'account' | 'application' | 'player' | 'server' | 'map';

/**
 * A text of which a word begins with what is searched: a name, an address, or a UUID without its dashes, of an account or an
 * application by its id, of the others by their key. Triggers derive the rows (`028-search.sql`).
 */
export interface SearchTerm {
  ref: string;
  source: string;
}

const TERMS_PER_READ = 100;
/** One thing may have any number of names with the same beginning. */
const MAX_TERMS = 5_000;

/** The text as it is compared: in lower case, a UUID without its dashes. */
export function searchKey(text: string): string {
  const key = nameKey(text);
  return /^[\da-f]{8}-[\da-f-]*$/.test(key) ? key.replaceAll('-', '') : key;
}

/** Everything of a kind that has a word with this beginning, in the order of the words: range look-ups, page by page. */
export async function* searchTerms(db: Queryable, kind: SearchKind, text: string): AsyncGenerator<SearchTerm[]> {
  const key = searchKey(text);
  let last = [key, '', ''];
  for (let read = 0; read < MAX_TERMS; read += TERMS_PER_READ) {
    const rows = (await db.tuples(sql`
      select term, ref, source from search_terms
      where kind = ${kind} and (term, ref, source) > (${last[0]!}, ${last[1]!}, ${last[2]!}) and term < ${endOf(key)}
      order by term, ref, source limit ${TERMS_PER_READ}`)) as [string, string, string][];
    yield rows.map(([, ref, source]) => ({ ref, source }));
    if (rows.length < TERMS_PER_READ) return;
    last = rows.at(-1)!;
  }
}

/** The ids or keys of what has a word with this beginning, in any case. */
export async function findByWord(db: Queryable, kind: SearchKind, text: string, limit: number): Promise<string[]> {
  const found = new Set<string>();
  for await (const terms of searchTerms(db, kind, text)) {
    for (const { ref } of terms) found.add(ref);
    if (found.size >= limit) break;
  }
  return [...found].slice(0, limit);
}

/** The keys of the maps with such a word, as a subquery. */
export const mapsByWord = (text: string): Sql => sql`
  select cast(ref as bigint) from search_terms
  where kind = 'map' and term >= ${searchKey(text)} and term < ${endOf(searchKey(text))}`;

/** The end of the terms that begin with a text: they are ordered by code points, of which U+10FFFF is the last. */
const endOf = (key: string): string => `${key}\u{10ffff}`;

/** Whether a word of a name begins with a text, both in lower case. */
export function hasWord(name: string, text: string): boolean {
  for (let at = name.indexOf(text); at >= 0; at = name.indexOf(text, at + 1))
    if (at === 0 || ' _-.@:/'.includes(name[at - 1]!)) return true;
  return false;
}
