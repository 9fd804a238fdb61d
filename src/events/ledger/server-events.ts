import { list, type Sql, sql } from '#db/sql.ts';
import { keysetPage, type Page, pageBefore, pageAfter } from '#store/keyset-paging.ts';
import type { Queryable } from '#db/db.ts';
import { idOf } from '#platform/ids.ts';
import type { Problem } from '../schema/problems.ts';

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

/** A stored receipt, for `GET /receipts` and the console. There is one per event id; heartbeats are not stored. */
export interface LoggedReceipt {
  receipt: string;
  id: string;
  status: 'accepted' | 'withdrawn' | 'rejected';
  /** Left out for a rejected event without a type. */
  type?: string;
  reason?: string;
  place?: string;
  problems?: Problem[];
  /** Epoch milliseconds. */
  received: number;
}

/** The receipts of a server with keys above `after`, the oldest first. Only the newest rejections are stored. */
export const receiptsAfter = (db: Queryable, scope: number, after: number, limit: number): Promise<LoggedReceipt[]> =>
  readReceipts(db, scope, pageAfter(after, limit));

/** The receipts of a server with keys below `before`, the newest first. */
export const receiptsBefore = (db: Queryable, scope: number, before: number, limit: number): Promise<LoggedReceipt[]> =>
  readReceipts(db, scope, pageBefore(before, limit));

/**
 * A single statement reads from one snapshot, so that an event withdrawn at the same time is neither skipped nor listed
 * twice.
 */
async function readReceipts(db: Queryable, scope: number, page: Page): Promise<LoggedReceipt[]> {
  const rows = await db.tuples(sql`
    select l.key, l.event_id, l.received, l.type, l.withdrawn, null as reason, null as place, null as problems
    from (${keysByServer(scope, page)}) s join ledger l on l.key = s.key
    union all
    select key, event_id, received, type, null, reason, place, problems
    from (select * from refusals where ${keysetPage('scope_key', scope, page)}) r
    order by key ${page.direction} limit ${page.limit}`);
  return (rows as Row[]).map(toReceipt);
}

/** `reason`, `place` and `problems` of a rejected event, which may have no type; null of an accepted one. */
type Row = [
  ...[key: number, id: string, received: number, type: string | null, withdrawn: number | null],
  ...[reason: string | null, place: string | null, problems: string | null],
];

function toReceipt([key, id, received, type, withdrawn, reason, place, problems]: Row): LoggedReceipt {
  const [receipt, sent] = [idOf(key), type === null ? {} : { type }];
  if (reason === null) return { receipt, id, status: withdrawn === null ? 'accepted' : 'withdrawn', ...sent, received };
  const all = problems === null ? {} : { problems: JSON.parse(problems) as Problem[] };
  return { receipt, id, status: 'rejected', ...sent, reason, place: place!, ...all, received };
}
