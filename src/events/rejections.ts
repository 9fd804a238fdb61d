import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { sanitised } from '#platform/text.ts';
import type { Batch } from './unit-of-work.ts';
import { MAX_ID_LENGTH } from './schema.ts';
import type { Receipt } from './receipts.ts';

/** The most rejections stored of each server. */
const MAX_STORED = 1_000;

export type Rejected = Extract<Receipt, { status: 'rejected' }>;

/**
 * Stores a rejection of a server's event for `GET /receipts`. The id comes from the sender unchecked, so it is sanitised
 * and cut.
 */
export function recordRejection({ rows, keys, now }: Batch, scope: number, { id, reason, place }: Rejected): void {
  rows.add('refusals', [keys.next(now), scope, sanitised(id, MAX_ID_LENGTH), reason, place, now]);
}

/** Deletes all but the newest rejections of these servers. */
export async function trimRejections(tx: Queryable, scopes: Iterable<number>): Promise<void> {
  for (const scope of scopes) {
    await tx.run(sql`
      delete from refusals where scope_key = ${scope} and key <= (
        select key from refusals where scope_key = ${scope} order by key desc limit 1 offset ${MAX_STORED})`);
  }
}
