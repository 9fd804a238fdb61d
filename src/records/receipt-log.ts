import { idOf } from '#base/ids.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

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
export async function receiptsAfter(
  db: Queryable,
  scope: number,
  after: number,
  limit: number,
): Promise<LoggedReceipt[]> {
  const taken = await db.tuples(sql`
    select key, event_id, type, received, withdrawn from ledger
    where scope_key = ${scope} and key > ${after} order by key limit ${limit}`);
  const refused = await db.tuples(sql`
    select key, event_id, reason, place, received from refusals
    where scope_key = ${scope} and key > ${after} order by key limit ${limit}`);
  const receipts = [...(taken as TakenRow[]).map(ofTaken), ...(refused as RefusedRow[]).map(ofRefused)];
  return receipts.sort((a, b) => (a.receipt < b.receipt ? -1 : 1)).slice(0, limit);
}

/** The receipts of a server with keys below this one, the newest first. */
export async function receiptsBefore(
  db: Queryable,
  scope: number,
  before: number,
  limit: number,
): Promise<LoggedReceipt[]> {
  const taken = await db.tuples(sql`
    select key, event_id, type, received, withdrawn from ledger
    where scope_key = ${scope} and key < ${before} order by key desc limit ${limit}`);
  const refused = await db.tuples(sql`
    select key, event_id, reason, place, received from refusals
    where scope_key = ${scope} and key < ${before} order by key desc limit ${limit}`);
  const receipts = [...(taken as TakenRow[]).map(ofTaken), ...(refused as RefusedRow[]).map(ofRefused)];
  return receipts.sort((a, b) => (a.receipt < b.receipt ? 1 : -1)).slice(0, limit);
}

type TakenRow = [key: number, id: string, type: string, received: number, withdrawn: number | null];
type RefusedRow = [key: number, id: string, reason: string, place: string, received: number];

function ofTaken([key, id, type, received, withdrawn]: TakenRow): LoggedReceipt {
  return { receipt: idOf(key), id, status: withdrawn === null ? 'accepted' : 'withdrawn', type, received };
}

function ofRefused([key, id, reason, place, received]: RefusedRow): LoggedReceipt {
  return { receipt: idOf(key), id, status: 'rejected', reason, place, received };
}
