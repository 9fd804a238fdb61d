import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { giveWayToAll } from '#base/priority.ts';
import { type CheckpointOrder, COMMITS, ENDED } from './checkpoints.ts';

/**
 * While a checkpoint brings its pages to the disk, whoever waits for the log to be there waits several times as long: many
 * pages go together, among which those that were written again and again are one each. In a quiet moment few are enough.
 */
const WORTH_PAGES = 8_000;
const WORTH_PAGES_QUIET = 500;
const QUIET_MS = 200;
const REST_MS = 300;

const { path, shared } = workerData as CheckpointOrder;
// Whoever reads events on the same core has somebody waiting for the answer.
giveWayToAll();
const db = new DatabaseSync(path);
db.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0; pragma cache_size = -1000');
const look = db.prepare('pragma wal_checkpoint(noop)');
const checkpoint = db.prepare('pragma wal_checkpoint(passive)');

let seen = 0;
while (Atomics.load(shared, ENDED) === 0) {
  const isQuiet = Atomics.wait(shared, COMMITS, seen, QUIET_MS) === 'timed-out';
  bringIn(isQuiet ? WORTH_PAGES_QUIET : WORTH_PAGES);
  // What came since it was quiet is not among those seen: whoever ended this meanwhile is not waited for.
  if (isQuiet) Atomics.wait(shared, COMMITS, seen);
  else Atomics.wait(shared, ENDED, 0, REST_MS);
  seen = Atomics.load(shared, COMMITS);
}
db.close();

/** What fails (a full disk, another who is at it) is tried again behind the next commit; the log holds it till then. */
function bringIn(worth: number): void {
  try {
    const { log, checkpointed } = look.get() as { log: number; checkpointed: number };
    if (log - checkpointed >= worth) checkpoint.get();
  } catch {
    // As above.
  }
}
