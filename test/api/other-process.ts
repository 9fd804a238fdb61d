/** A process that writes to the database of a test. Reads one order a line as JSON; prints a line when it is committed. */
import { createInterface } from 'node:readline';
import { systemClock } from '#platform/clock.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { setLimit } from '#store/applications/applications.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { retractEvents } from '#test/support/jobs.ts';

export type Order =
  { ingest: WireEvent[] } | { retract: number[] } | { revoke: string } | { limit: [clientId: string, limit: number] };

await using db = await openDb(process.argv[2]!, { keyedHash: secretHash });
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as Order;
  if ('ingest' in order) await ingestEvents(db, systemClock, { kind: 'operator' }, order.ingest);
  else if ('retract' in order) await retractEvents(db, systemClock, order.retract);
  else if ('revoke' in order) await db.run(sql`delete from tokens where hash = ${order.revoke}`);
  else await setLimit(db, ...order.limit);
  console.log('done');
}
