import type { Job } from '#store/jobs.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/**
 * The most rows of players that one transaction of a job changes. A row of a match costs some twenty statements (two for
 * each leaderboard that it counts in), about 0.1 ms on SQLite, so a chunk stays below 20 ms, in which the thread answers
 * nothing else and on SQLite no other writer gets the lock.
 */
export const ROWS_PER_CHUNK = 64;

/** The most bytes of stored events that one transaction of a job parses: about 10 ms of JSON. */
export const BYTES_PER_CHUNK = 256 * 1024;

/** What one transaction of a job may still do. */
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

/** Where a job is after a chunk. */
export interface Progress {
  cursor: unknown;
  /** What the chunk adds to the job's `done`. */
  done: number;
  isComplete: boolean;
  /** Whether the job may be paused here: not in the middle of an event. */
  mayPause: boolean;
}

/** Does the next chunk of a job, in the transaction of `work`. */
export type ChunkRunner = (work: UnitOfWork, job: Job) => Promise<Progress>;
