import type { Db } from '#db/db.ts';
import type { Log } from '#platform/process/log.ts';
import { gauge, type Metrics } from '#platform/process/metrics.ts';

/** The names of the metrics that `/readyz` reads of each thread. */
export const LAST_COMMIT = 'scorehall_last_commit_timestamp_seconds';
export const LAST_FAILURE = 'scorehall_last_database_failure_timestamp_seconds';
export const LAST_FULL = 'scorehall_last_disk_full_timestamp_seconds';

/** Adds metrics of the last transactions of this thread, and logs the end of an outage of the database. */
export function reportOutages({ outages }: Db, metrics: Metrics, log: Log): void {
  outages.onEnd = (outageMs) =>
    log.info({ outage_s: Math.round(outageMs / 100) / 10 }, 'the database can be written again');
  gauge(metrics, {
    name: LAST_COMMIT,
    help: 'When a transaction that wrote was last committed, as a Unix timestamp; 0: none yet',
    collect: (commit) => commit.set(outages.lastCommit / 1000),
  });
  gauge(metrics, {
    name: LAST_FAILURE,
    help: 'When the database could last not be reached or written, as a Unix timestamp; 0: never',
    collect: (failure) => failure.set(outages.lastFailure / 1000),
  });
  gauge(metrics, {
    name: LAST_FULL,
    help: 'When a transaction last failed because the disk of the database was full, as a Unix timestamp; 0: never',
    collect: (full) => full.set(outages.lastFull / 1000),
  });
}
