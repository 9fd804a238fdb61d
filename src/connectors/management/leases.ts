import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import {
  type HeldServer,
  heldServers,
  type Lease,
  otherLeases,
  releaseServers,
  renewLeases,
  takeLease,
} from '#store/game/watches/managed-servers.ts';
import { ObservedClaims } from '../observed-claims.ts';

/** Other processes take over the servers of a process that has not renewed its leases for this long. */
const LEASE_MS = 20_000;

/**
 * The servers that this process follows, among several processes whose clocks may differ. A lease is over when this process
 * has seen it unchanged for `LEASE_MS` by its own monotonic clock; no timestamp of another process is compared with it.
 */
export class Leases {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #holder: string;
  readonly #monotonic: () => number;
  /** The leases of other processes. */
  readonly #observed = new ObservedClaims<Lease>(
    (one, other) => one.holder === other.holder && one.until === other.until,
  );
  #renewed = Number.NEGATIVE_INFINITY;

  constructor(db: Db, clock: Clock, holder: string, monotonic: () => number) {
    this.#db = db;
    this.#clock = clock;
    this.#holder = holder;
    this.#monotonic = monotonic;
  }

  /** Renews the leases of this process at half time, and takes at most `limit` servers that no process follows. */
  async hold(limit: number): Promise<HeldServer[]> {
    const now = this.#monotonic();
    const until = this.#clock.now() + LEASE_MS;
    if (now - this.#renewed >= LEASE_MS / 2) {
      await renewLeases(this.#db, this.#holder, until);
      this.#renewed = now;
    }
    const free = this.#observed
      .observe(await otherLeases(this.#db, this.#holder), now)
      .filter(({ claim, since }) => claim.holder === '' || now - since >= LEASE_MS)
      .map(({ claim }) => claim);
    for (const lease of free.slice(0, limit)) await takeLease(this.#db, lease, this.#holder, until);
    return await heldServers(this.#db, this.#holder);
  }

  /** Releases the leases, so that other processes can take the servers immediately. */
  async release(): Promise<void> {
    await releaseServers(this.#db, this.#holder);
  }
}
