import type { Db } from '#db/db.ts';
import type { Log } from '#platform/process/log.ts';
import { isClockSuspect, lastRun } from '#store/installation/job-runs.ts';

const DAY_MS = 86_400_000;
/** How far the wall clock may drift from the monotonic clock within the observed day, for example while NTP slews it. */
const TOLERANCE_MS = 60_000;

interface Reading {
  wall: number;
  monotonic: number;
}

/**
 * Decides whether a purge may trust the clock. If the clock is more than a day ahead of the last purge, it may have jumped:
 * nothing is deleted until wall clock and monotonic clock have advanced alike for a day in this process, or until an
 * operator confirms the time with `scorehall purge --confirm`.
 */
export class PurgeGuard {
  readonly #db: Db;
  readonly #log: Log;
  readonly #monotonic: () => number;
  #observedSince: Reading | undefined;

  constructor(db: Db, log: Log, monotonic: () => number = () => performance.now()) {
    this.#db = db;
    this.#log = log;
    this.#monotonic = monotonic;
  }

  async allows(now: number): Promise<boolean> {
    const last = await lastRun(this.#db, 'purge');
    if (!isClockSuspect(last, now)) {
      this.#observedSince = undefined;
      return true;
    }
    return this.#hasAdvancedSteadily({ wall: now, monotonic: this.#monotonic() }, last!);
  }

  #hasAdvancedSteadily(present: Reading, last: number): boolean {
    const since = this.#observedSince;
    const elapsed = since && { wall: present.wall - since.wall, monotonic: present.monotonic - since.monotonic };
    if (elapsed === undefined || Math.abs(elapsed.wall - elapsed.monotonic) > TOLERANCE_MS) {
      this.#observedSince = present;
      const days = Math.floor((present.wall - last) / DAY_MS);
      this.#log.warn({ days }, 'the clock is more than a day ahead of the last purge: nothing is purged for now');
      return false;
    }
    return elapsed.monotonic >= DAY_MS;
  }
}
