import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import {
  claimPolls,
  type DuePoll,
  listPollClaims,
  type PollClaim,
  releasePolls,
} from '#store/game/watches/server-watches.ts';
import { ObservedClaims } from '../observed-claims.ts';

/**
 * The polls that this process makes, among several processes whose clocks may differ. A server is due when this process has
 * seen its last claim unchanged for the interval, by its own monotonic clock; no timestamp of another process is compared
 * with it.
 */
export class PollClaims {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #monotonic: () => number;
  readonly #observed = new ObservedClaims<PollClaim>((one, other) => one.claimed === other.claimed);
  /** The last claims of this process. */
  readonly #own = new Map<number, PollClaim>();

  constructor(db: Db, clock: Clock, monotonic: () => number) {
    this.#db = db;
    this.#clock = clock;
    this.#monotonic = monotonic;
  }

  /** Claims at most `limit` polls that are due, oldest first. Of several processes that call this at once, one gets each. */
  async claim(everyMs: number, limit: number): Promise<DuePoll[]> {
    const now = this.#monotonic();
    const due = this.#observed
      .observe(await listPollClaims(this.#db), now)
      .filter(({ claim, since }) => claim.claimed === 0 || since <= now - everyMs)
      .toSorted((one, other) => one.since - other.since)
      .map(({ claim }) => claim);
    // Claiming takes the lock of the writer.
    if (due.length === 0) return [];
    const polls = await claimPolls(this.#db, this.#clock.now(), due.slice(0, limit));
    for (const claim of polls) {
      this.#observed.set(claim, now);
      this.#own.set(claim.serverKey, claim);
    }
    return polls;
  }

  /** Lets other processes, and the next one, poll the servers at once. */
  async release(): Promise<void> {
    await releasePolls(this.#db, [...this.#own.values()]);
  }
}
