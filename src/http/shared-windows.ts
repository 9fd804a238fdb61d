import { type Batcher, batcher, type Pending } from '#platform/streams/turns.ts';
import type { Clock } from '#platform/clock.ts';
import type { Db, Queryable } from '#db/db.ts';
import { addCounts, type Count, type CountTable, deleteCount, lowerCount, readCount } from '#store/counts.ts';
import { addTo, type NewRequest, type Window, type Windows } from './fixed-windows.ts';

/** How long a refusal is repeated without reading the count, which a right password may have lowered meanwhile. */
const REPEAT_MS = 1_000;
/** Limits the memory against an attacker with millions of addresses or accounts. */
const MAX_REFUSALS = 10_000;

type PendingRequest = Pending<NewRequest, Window>;

/**
 * Counts in the database, for several processes. All requests of a limit that arrive while others are counted become the
 * next batch, so that any number of them occupies one connection of the pool and does not wait there for locked rows.
 * Refusals are repeated from memory for a second, and the counts lack those.
 */
export class SharedWindows implements Windows {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #table: CountTable;
  readonly #refusals = new Map<string, { window: Window; until: number }>();
  readonly #batches: Batcher<NewRequest, Window> = batcher({
    key: ({ limit }) => limit,
    run: (batch) => this.#countBatch(batch),
  });

  constructor(db: Db, clock: Clock, table: CountTable) {
    this.#db = db;
    this.#clock = clock;
    this.#table = table;
  }

  async add(request: NewRequest, now: number): Promise<Window> {
    const refusal = this.#refusals.get(request.subject);
    const isRepeated = refusal !== undefined && refusal.until > now && refusal.window.used > request.max;
    return isRepeated ? refusal.window : await this.#batches.add(request);
  }

  async get(subject: string, now: number): Promise<Window | undefined> {
    return await readCount(this.#db, this.#table, now, subject);
  }

  /** Subtracts an attempt whose secret was right. */
  async lower(subject: string): Promise<void> {
    this.#refusals.delete(subject);
    await lowerCount(this.#db, this.#table, subject, 1);
  }

  /** Ends the window of a subject. */
  async clear(subject: string): Promise<void> {
    this.#refusals.delete(subject);
    await deleteCount(this.#db, this.#table, subject);
  }

  async #countBatch(batch: readonly PendingRequest[]): Promise<void> {
    const now = this.#clock.now();
    const added = new Map<string, Count>();
    for (const { subject, price, windowMs } of batch.map(({ item }) => item))
      added.set(subject, { subject, used: (added.get(subject)?.used ?? 0) + price, resets: now + windowMs });
    const count = (db: Queryable): Promise<Count[]> => addCounts(db, this.#table, now, [...added.values()]);
    // On SQLite a commit blocks the event loop for the disk unless it is not durable. On PostgreSQL that takes a
    // transaction of four round trips instead of one statement.
    const counts = this.#db.remote ? await count(this.#db) : await this.#db.transaction(count, { durable: false });
    const windows = new Map<string, Window>();
    for (const { subject, used, resets } of counts)
      windows.set(subject, { used: used - added.get(subject)!.used, resets });
    const tooDear: NewRequest[] = [];
    const results = batch.map(({ item }) => {
      const window = addTo(windows.get(item.subject)!, item.price, item.max);
      if (window.isTooDear === true) tooDear.push(item);
      if (window.used > item.max) this.#repeat(item.subject, window);
      return window;
    });
    for (const { subject, price } of tooDear) await lowerCount(this.#db, this.#table, subject, price);
    for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
  }

  #repeat(subject: string, window: Window): void {
    this.#refusals.delete(subject);
    if (this.#refusals.size >= MAX_REFUSALS) this.#refusals.delete(this.#refusals.keys().next().value!);
    this.#refusals.set(subject, { window, until: Math.min(this.#clock.now() + REPEAT_MS, window.resets) });
  }

  /** Resolves when no request waits. */
  idle(): Promise<void> {
    return this.#batches.idle();
  }
}
