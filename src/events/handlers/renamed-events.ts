import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { NamingColumns } from '../ledger/pseudonyms.ts';
import { punishmentOfAggregate } from './punishment-aggregate.ts';

/**
 * Stores an event of the ledger under other names. If the reference of a punishment has a UUID, as importers make them, the
 * punishment and its other events get the new reference, too.
 */
export async function storeRenamed(
  tx: Queryable,
  before: NamingColumns & { key: number },
  { event_id, aggregate, body, envelope }: NamingColumns,
): Promise<void> {
  await tx.run(sql`
    update ledger set event_id = ${event_id}, aggregate = ${aggregate}, body = ${body}, envelope = ${envelope},
      content_hash = null
    where key = ${before.key}`);
  if (before.aggregate === aggregate) return;
  await tx.run(sql`update ledger set aggregate = ${aggregate} where aggregate = ${before.aggregate}`);
  const [named, renamed] = [punishmentOfAggregate(before.aggregate), punishmentOfAggregate(aggregate)];
  if (named === undefined || renamed === undefined) return;
  await tx.run(sql`
    update punishments set reference = ${renamed.reference}
    where scope_key = ${named.scope} and reference = ${named.reference}`);
}
