import type { Job } from '#store/jobs.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/**
 * Maximum rows of players that one transaction of a job changes. A row of a match costs some twenty statements (two per
 * leaderboard), about 0.1 ms on SQLite. So a chunk takes less than 20 ms, during which it blocks its thread and, on SQLite,
 * all other writers.
 */
export const ROWS_PER_CHUNK = 64;

/** Maximum bytes of stored events that one transaction of a job parses: about 10 ms of JSON. */
export const BYTES_PER_CHUNK = 256 * 1024;

/** The remaining budget of one transaction of a job. */
export class Budget {
  rows = ROWS_PER_CHUNK;

  get isSpent(): boolean {
    return this.rows <= 0;
  }

  /** Counts rows, and the bytes of JSON that were parsed for them. */
  spend(rows: number, bytes = 0): void {
    this.rows -= rows + Math.floor((bytes * ROWS_PER_CHUNK) / BYTES_PER_CHUNK);
  }
}

/** The state of a job after a chunk. */
export interface Progress {
  cursor: unknown;
  /** The amount to add to the job's `done`. */
  done: number;
  isComplete: boolean;
  /** Whether the job may be paused here (default true): not in the middle of an event. */
  mayPause?: boolean;
}

/** Runs the next chunk of a job, in the transaction of `work`. */
export type ChunkRunner = (work: UnitOfWork, job: Job) => Promise<Progress>;
