import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { Batch } from './batch.ts';
import type { Item } from './ledger.ts';
import type { Receipt, Sender } from './receipts.ts';

/** How many refusals are kept of each server. */
const MOST_KEPT = 1_000;

type Rejected = Extract<Receipt, { status: 'rejected' }>;

/** Keeps what was refused of a server, so that `GET /receipts` can tell. */
export function keepRefusal({ rows, keys, now }: Batch, sender: Sender, { id, reason, place }: Rejected): void {
  if (sender.kind === 'operator') return;
  rows.add('refusals', [keys.next(now), sender.serverKey, id, reason, place, now]);
}

/** Lets go of all but the newest refusals of the servers that have just got some. */
export async function trimRefusals(tx: Queryable, items: readonly Item[], receipts: Receipt[]): Promise<void> {
  const scopes = new Set<number>();
  items.forEach(({ sender }, place) => {
    if (sender.kind === 'server' && receipts[place]!.status === 'rejected') scopes.add(sender.serverKey);
  });
  for (const scope of scopes) {
    await tx.run(sql`
      delete from refusals where scope_key = ${scope} and key <= (
        select key from refusals where scope_key = ${scope} order by key desc limit 1 offset ${MOST_KEPT})`);
  }
}
