import assert from 'node:assert/strict';
import { secretHash } from '#platform/crypto/secrets.ts';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { prepareItem, type Item } from '#events/ingest/prepare.ts';
import { ingestEvents, ingestItems } from '#events/ingest/ingest-events.ts';
import type { Receipt } from '#events/ledger/receipts.ts';
import { TestClock } from '#test/support/context.ts';
import { resetTables } from './canonical-dump.ts';
import { beginnings, CREDENTIAL, senderOf, SERVERS, type GeneratedEvent } from './generated-history.ts';

export const clock = new TestClock();

type Ingest = (items: Item[]) => Promise<Receipt[]>;

/** Empties the database and ingests a history, in a number of batches. */
export async function ingestHistory(
  db: Db,
  events: GeneratedEvent[],
  batches = 1,
  ingest: Ingest = (items) => ingestItems(db, clock, items),
): Promise<Receipt[]> {
  await resetTables(db);
  await ingestEvents(db, clock, { kind: 'operator' }, beginnings);
  const rows = await db.all<{ key: number }>(sql`select key from servers order by name`);
  assert.equal(rows.length, SERVERS.length);
  await db.run(sql`
    insert into server_keys (key, server_key, hash, test, created) values (${CREDENTIAL}, ${rows[0]!.key}, 'generated', 0, 0)`);
  const items = events.map(({ sender, event }) => {
    const from = senderOf(
      sender,
      rows.map(({ key }) => key),
    );
    return prepareItem({ input: event }, from, clock.now(), secretHash);
  });
  const receipts: Receipt[] = [];
  const size = Math.ceil(items.length / batches);
  for (let start = 0; start < items.length; start += size) {
    receipts.push(...(await ingest(items.slice(start, start + size))));
  }
  return receipts;
}
