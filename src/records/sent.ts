import { code, type Sql, sql } from '#db/sql.ts';

/** A page of what belongs to a server: of keys behind a bound, so many, the lowest or the highest first. */
export interface Page {
  bound: Sql;
  direction: Sql;
  limit: number;
}

export const pageAfter = (key: number, limit: number): Page => ({
  bound: sql`key > ${key}`,
  direction: sql`asc`,
  limit,
});
export const pageBefore = (key: number, limit: number): Page => ({
  bound: sql`key < ${key}`,
  direction: sql`desc`,
  limit,
});

/**
 * What goes behind `where` to walk along an index of a server's column and the key, all of the server or a page. The
 * server is asked for twice and named in the order: where PostgreSQL knows it to be one, it may prefer the primary key,
 * and passes everything that others have sent since on its way to what a server sent that is silent now.
 */
export function alongServer(column: 'server_key' | 'scope_key', server: number, page?: Page): Sql {
  const own = sql`${code(column)} in (${server}, ${server})`;
  if (page === undefined) return own;
  const { bound, direction, limit } = page;
  return sql`${own} and ${bound} order by ${code(column)} ${direction}, key ${direction} limit ${limit}`;
}

/** As the index `ledger_besides_matches` says it, word for word and without values: else SQLite passes it over. */
const BESIDES_MATCHES = sql`(type <> 'match.finished' or withdrawn is not null)`;

/**
 * A subquery: the keys of the events in the ledger that belong to a server, withdrawn ones too; of a page more than its
 * limit and in no order. Matches that stand have the keys of their events; only the other events have an index of their
 * own, so that a match is written into one index less.
 */
export const keysSent = (server: number, page?: Page): Sql => sql`
  select key from (select key from matches where ${alongServer('server_key', server, page)}) m
  union all
  select key from (select key from ledger where ${BESIDES_MATCHES} and ${alongServer('scope_key', server, page)}) o`;
