import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '#platform/clock.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { match, team } from '#test/support/builders.ts';

/** A worker thread that ingests matches on several connections at once, on each of them one after the other. */
const { url, connections, first, count } = workerData as Record<'connections' | 'first' | 'count', number> & {
  url: string;
};

async function write(db: Db, from: number): Promise<void> {
  for (let number = from; number < from + count; number++) {
    const received = match({ teams: [team('Red', number % 5, (number % 7) + 5)] }, { id: `feed ${number}` });
    const [receipt] = await ingestEvents(db, systemClock, { kind: 'operator' }, [received]);
    if (receipt!.status !== 'accepted') throw new Error(JSON.stringify(receipt));
  }
}

const opened = await Promise.all(Array.from({ length: connections }, () => openDb(url, { keyedHash: secretHash })));
parentPort!.postMessage('ready');
await once(parentPort!, 'message');
await Promise.all(opened.map((db, place) => write(db, first + place * count)));
await Promise.all(opened.map((db) => db.close()));
parentPort!.close();
