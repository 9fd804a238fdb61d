import { idOf } from '#platform/ids.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { keysetPage, type Page, pageAfter, pageBefore } from '#store/keyset-paging.ts';
import { keysByServer } from './events-by-server.ts';

/** What became of an event that a server once sent. Heartbeats are not kept, duplicates are told once. */
export interface LoggedReceipt {
  receipt: string;
  id: string;
  status: 'accepted' | 'withdrawn' | 'rejected';
  type?: string;
  reason?: string;
  place?: string;
  /** Epoch milliseconds. */
  received: number;
}

/** The receipts of a server behind a key, the oldest first. Of those refused only the newest are kept. */
export const receiptsAfter = (db: Queryable, scope: number, after: number, limit: number): Promise<LoggedReceipt[]> =>
  receiptsOf(db, scope, pageAfter(after, limit));

/** The receipts of a server with keys below this one, the newest first. */
export const receiptsBefore = (db: Queryable, scope: number, before: number, limit: number): Promise<LoggedReceipt[]> =>
  receiptsOf(db, scope, pageBefore(before, limit));

/** One statement sees one state: what comes or is withdrawn meanwhile is neither passed over nor told twice. */
async function receiptsOf(db: Queryable, scope: number, page: Page): Promise<LoggedReceipt[]> {
  const rows = await db.tuples(sql`
    select l.key, l.event_id, l.received, l.type, l.withdrawn, null as reason, null as place
    from (${keysByServer(scope, page)}) s join ledger l on l.key = s.key
    union all
    select key, event_id, received, null, null, reason, place
    from (select * from refusals where ${keysetPage('scope_key', scope, page)}) r
    order by key ${page.direction} limit ${page.limit}`);
  return (rows as Row[]).map((row) => (row[3] === null ? ofRefused(row) : ofTaken(row)));
}

type Row = AcceptedRow | RejectedRow;
type AcceptedRow = [key: number, id: string, received: number, type: string, withdrawn: number | null, null, null];
type RejectedRow = [key: number, id: string, received: number, null, null, reason: string, place: string];

function ofTaken([key, id, received, type, withdrawn]: AcceptedRow): LoggedReceipt {
  return { receipt: idOf(key), id, status: withdrawn === null ? 'accepted' : 'withdrawn', type, received };
}

function ofRefused([key, id, received, , , reason, place]: RejectedRow): LoggedReceipt {
  return { receipt: idOf(key), id, status: 'rejected', reason, place, received };
}
