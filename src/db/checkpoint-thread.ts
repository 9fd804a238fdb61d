import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { giveWay } from '#base/priority.ts';
import { type CheckpointOrder, COMMITS, ENDED } from './checkpoints.ts';

/** Pages in the log from which on it is worth a checkpoint, and how long one rests at least and by what it took. */
const WORTH_PAGES = 1_000;
const LEAST_REST_MS = 50;
const RESTS = 2;

const { path, shared } = workerData as CheckpointOrder;
giveWay();
const db = new DatabaseSync(path);
db.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0; pragma cache_size = -1000');
const look = db.prepare('pragma wal_checkpoint(noop)');
const checkpoint = db.prepare('pragma wal_checkpoint(passive)');

let seen = 0;
while (Atomics.load(shared, ENDED) === 0) {
  Atomics.wait(shared, COMMITS, seen);
  seen = Atomics.load(shared, COMMITS);
  const started = performance.now();
  bringIn();
  const took = performance.now() - started;
  Atomics.wait(shared, ENDED, 0, Math.max(LEAST_REST_MS, RESTS * took));
}
db.close();

/** What fails (a full disk, another who is at it) is tried again behind the next commit; the log holds it till then. */
function bringIn(): void {
  try {
    const { log, checkpointed } = look.get() as { log: number; checkpointed: number };
    if (log - checkpointed >= WORTH_PAGES) checkpoint.get();
  } catch {
    // As above.
  }
}
