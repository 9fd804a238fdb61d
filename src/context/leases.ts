import { randomUUID } from 'node:crypto';
import type { AppContext } from './context.ts';
import { type LeasedTable, otherLeases, releaseLeases, renewLeases, type Lease, takeLeases } from '#store/leases.ts';

/** Other processes take over the rows of a process that has not renewed its leases for this long. */
const LEASE_MS = 20_000;

/**
 * The rows of a table whose work this process does, such as the servers that it polls, among several processes whose clocks
 * may differ. A lease is over when this process has seen it unchanged for `LEASE_MS` by its own monotonic clock; no timestamp
 * of another process is compared with it.
 */
export class Leases {
  /** The name of this process in its leases. */
  readonly holder = randomUUID();
  readonly #context: Pick<AppContext, 'db' | 'clock'>;
  readonly #table: LeasedTable;
  readonly #monotonic: () => number;
  /** The leases of other processes by key, and since when they are unchanged. */
  #others = new Map<number, { lease: Lease; since: number }>();
  #renewed = Number.NEGATIVE_INFINITY;

  constructor(context: Pick<AppContext, 'db' | 'clock'>, table: LeasedTable, monotonic: () => number) {
    this.#context = context;
    this.#table = table;
    this.#monotonic = monotonic;
  }

  /** Renews the leases of this process at half time, and takes at most `limit` rows that no process holds. */
  async hold(limit: number): Promise<void> {
    const { db, clock } = this.#context;
    const now = this.#monotonic();
    const until = clock.now() + LEASE_MS;
    if (now - this.#renewed >= LEASE_MS / 2) {
      await renewLeases(db, this.#table, this.holder, until);
      this.#renewed = now;
    }
    const free = this.#observe(await otherLeases(db, this.#table, this.holder), now)
      .filter(({ lease, since }) => lease.holder === '' || now - since >= LEASE_MS)
      .map(({ lease }) => lease);
    await takeLeases(db, this.#table, free.slice(0, limit), this.holder, until);
  }

  #observe(leases: readonly Lease[], now: number): { lease: Lease; since: number }[] {
    const observed = leases.map((lease) => {
      const before = this.#others.get(lease.key);
      const isSame = before?.lease.holder === lease.holder && before.lease.until === lease.until;
      return isSame ? before : { lease, since: now };
    });
    this.#others = new Map(observed.map((one) => [one.lease.key, one]));
    return observed;
  }

  /** Releases the leases, so that other processes can take the rows immediately. */
  async release(): Promise<void> {
    await releaseLeases(this.#context.db, this.#table, this.holder);
  }
}
