import { type Sql, sql } from '#db/sql.ts';
import { keysetPage, type Page } from '#store/keyset-paging.ts';

/**
 * The condition of the partial index `ledger_besides_matches`. It repeats the index's text exactly, without bound values:
 * otherwise SQLite does not use the index.
 */
const BESIDES_MATCHES = sql`(type <> 'match.finished' or withdrawn is not null)`;

/**
 * A subquery for the keys of a server's events in the ledger, including withdrawn ones. With a page it returns up to twice
 * the limit, in no order: the caller sorts and limits. Matches that are not withdrawn are found in `matches`, under the
 * key of their event; only the other events are indexed by server, so that inserting a match writes one index less.
 */
export const keysByServer = (server: number, page?: Page): Sql => sql`
  select key from (select key from matches where ${keysetPage('server_key', server, page)}) m
  union all
  select key from (select key from ledger where ${BESIDES_MATCHES} and ${keysetPage('scope_key', server, page)}) o`;
