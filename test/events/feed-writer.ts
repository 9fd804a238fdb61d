import { workerData } from 'node:worker_threads';
import { systemClock } from '#platform/clock.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { match, team } from '#test/support/builders.ts';

/** A worker thread that ingests matches one after the other, on its own connection. */
const { url, first, count } = workerData as { url: string; first: number; count: number };
await using db = await openDb(url, { keyedHash: secretHash });
for (let number = first; number < first + count; number++) {
  const received = match({ teams: [team('Red', number % 5, (number % 7) + 5)] }, { id: `feed ${number}` });
  const [receipt] = await ingestEvents(db, systemClock, { kind: 'operator' }, [received]);
  if (receipt!.status !== 'accepted') throw new Error(JSON.stringify(receipt));
}
