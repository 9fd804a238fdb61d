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

/** A process that stops renewing its leases loses its servers to the others after this long. */
const LEASE_MS = 20_000;

interface Observed {
  lease: Lease;
  since: number;
}

/**
 * The servers that this process follows, among several processes whose clocks may differ. A lease is over when this process
 * has seen it unchanged for `LEASE_MS` by its own monotonic clock; no timestamp of another process is compared with it.
 */
export class Leases {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #holder: string;
  readonly #monotonic: () => number;
  /** The leases of other processes, by the key of the server. */
  #observed = new Map<number, Observed>();
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
    const free = this.#freeOf(await otherLeases(this.#db, this.#holder), now);
    for (const lease of free.slice(0, limit)) await takeLease(this.#db, lease, this.#holder, until);
    return await heldServers(this.#db, this.#holder);
  }

  #freeOf(leases: readonly Lease[], now: number): Lease[] {
    const observed = leases.map((lease): Observed => {
      const before = this.#observed.get(lease.serverKey);
      const isSame = before !== undefined && before.lease.holder === lease.holder && before.lease.until === lease.until;
      return isSame ? before : { lease, since: now };
    });
    this.#observed = new Map(observed.map((one) => [one.lease.serverKey, one]));
    return observed
      .filter(({ lease, since }) => lease.holder === '' || now - since >= LEASE_MS)
      .map(({ lease }) => lease);
  }

  /** Lets other processes follow the servers at once. */
  async release(): Promise<void> {
    await releaseServers(this.#db, this.#holder);
  }
}
