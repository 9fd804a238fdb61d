import { idOf } from '#platform/ids.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { keysetPage, type Page, pageAfter, pageBefore } from '#store/keyset-paging.ts';
import type { Problem } from '../schema/problems.ts';
import { keysByServer } from './server-events.ts';

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
