import { type Sql, sql } from '#db/sql.ts';
import { keysetPage, type Page } from '#store/keyset-paging.ts';

/** As the index `ledger_besides_matches` says it, word for word and without values: else SQLite passes it over. */
export const BESIDES_MATCHES = sql`(type <> 'match.finished' or withdrawn is not null)`;

/**
 * A subquery: the keys of the events in the ledger that belong to a server, withdrawn ones too; of a page more than its
 * limit and in no order. Matches that stand have the keys of their events; only the other events have an index of their
 * own, so that a match is written into one index less.
 */
export const keysByServer = (server: number, page?: Page): Sql => sql`
  select key from (select key from matches where ${keysetPage('server_key', server, page)}) m
  union all
  select key from (select key from ledger where ${BESIDES_MATCHES} and ${keysetPage('scope_key', server, page)}) o`;
