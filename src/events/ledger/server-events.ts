import { list, type Sql, sql } from '#db/sql.ts';
import { keysetPage, type Page, pageBefore } from '#store/keyset-paging.ts';
import type { Queryable } from '#db/db.ts';

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

/** An event as the console shows it. */
export interface LedgerEvent {
  key: number;
  type: string;
  /** When the service received it, epoch milliseconds. */
  received: number;
  /** JSON, as stored. */
  body: string;
  withdrawn: boolean;
}

/** A page reads at most so many events of the server, most of which may be those of its other keys. */
const CANDIDATES = 2_000;

/**
 * The events that a key of a server sent, with keys below `before`, newest first.
 * @returns also the `before` of the next page, which may follow a page without any event
 */
export async function eventsOfKey(
  db: Queryable,
  { server, credential, since, before, limit }: Record<'server' | 'credential' | 'since' | 'before' | 'limit', number>,
): Promise<{ events: LedgerEvent[]; next: number | undefined }> {
  const candidates = (await db.tuples(sql`
    select l.key, l.credential, l.received
    from (${keysByServer(server, pageBefore(before, CANDIDATES))}) s join ledger l on l.key = s.key
    order by l.key desc limit ${CANDIDATES}`)) as [key: number, credential: number, received: number][];
  const own = candidates.filter(([, sender, received]) => sender === credential && received >= since);
  const page = own.slice(0, limit).map(([key]) => key);
  const isLast = own.length <= limit && (candidates.length < CANDIDATES || candidates.at(-1)![2] < since);
  const last = own.length > limit ? page.at(-1) : candidates.at(-1)?.[0];
  if (page.length === 0) return { events: [], next: isLast ? undefined : last };
  return { events: await eventsByKeys(db, page), next: isLast ? undefined : last };
}

/** The events with these keys, newest first. */
export async function eventsByKeys(db: Queryable, keys: readonly number[]): Promise<LedgerEvent[]> {
  const rows = await db.all<Omit<LedgerEvent, 'withdrawn'> & { withdrawn: number | null }>(sql`
    select key, type, received, body, withdrawn from ledger where key in (${list(keys)}) order by key desc`);
  return rows.map(({ withdrawn, ...event }) => ({ ...event, withdrawn: withdrawn !== null }));
}
