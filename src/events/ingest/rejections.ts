import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { sanitised } from '#text/text.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';
import { MAX_ID_LENGTH, MAX_TYPE_LENGTH, OF_THE_PRESENT, type PreparedEvent } from '../schema/index.ts';
import type { LedgerPlace } from './accepted-events.ts';
import type { Problem } from '../schema/problems.ts';
import type { Rejected } from '../ledger/receipts.ts';

/** Maximum rejections, and maximum events with warnings, stored per server. */
const MAX_STORED = 1_000;

/**
 * Stores a rejection of a server's event for `GET /receipts`. Id and type come from the sender unchecked, so they are
 * sanitised and cut.
 */
export function recordRejection(
  { rows, keys, now }: UnitOfWork,
  scope: number,
  type: string | undefined,
  receipt: Rejected,
): void {
  const { id, reason, place, problems } = receipt;
  const shownType = type === undefined ? null : sanitised(type, MAX_TYPE_LENGTH);
  const all = problems === undefined ? null : JSON.stringify(problems);
  rows.add('refusals', [keys.next(now), scope, sanitised(id, MAX_ID_LENGTH), shownType, reason, place, all, now]);
}

/** Stores an accepted event with values that are not plausible, for the operator. */
export function recordWarnings(
  { rows, now }: UnitOfWork,
  { id, type }: PreparedEvent,
  { key, scope }: Pick<LedgerPlace, 'key' | 'scope'>,
  warnings: readonly Problem[],
): void {
  rows.add('event_warnings', [key, scope, id, type, JSON.stringify(warnings), now]);
}

/**
 * Deletes all but the newest rejections and warnings of these servers. Of heartbeats and reports of running matches only the
 * newest warning stays, because a wrong sender repeats them every 30 seconds.
 */
export async function trimRecords(tx: Queryable, scopes: Iterable<number>): Promise<void> {
  for (const scope of scopes) {
    await tx.run(sql`
      delete from refusals where scope_key = ${scope} and key <= (
        select key from refusals where scope_key = ${scope} order by key desc limit 1 offset ${MAX_STORED})`);
    for (const type of OF_THE_PRESENT) {
      await tx.run(sql`
        delete from event_warnings where scope_key = ${scope} and type = ${type} and key < (
          select max(key) from event_warnings where scope_key = ${scope} and type = ${type})`);
    }
    await tx.run(sql`
      delete from event_warnings where scope_key = ${scope} and key <= (
        select key from event_warnings where scope_key = ${scope} order by key desc limit 1 offset ${MAX_STORED})`);
  }
}
