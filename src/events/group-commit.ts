import { setImmediate } from 'node:timers/promises';
import { BusyTime } from '#platform/busy-time.ts';
import type { Clock } from '#platform/clock.ts';
import { Unavailable } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import type { Db } from '#db/db.ts';
import { type Item, type IngestOptions, ingestItems } from './ledger.ts';
import type { Receipt } from './receipts.ts';

/** Where whoever hears of events hands them over. */
export interface EventQueue {
  /** Whether so much waits that senders had better come again later. */
  readonly isFull: boolean;
  /** For how many milliseconds events have been under way so far: others can tell how busy this is. */
  readonly busyMs: number;
  /**
   * @returns the receipts, once what they say is on disk
   * @throws Unavailable where nothing was taken because the database cannot be reached or written
   */
  accept(items: readonly Item[], options?: IngestOptions): Promise<Receipt[]>;
  /** Waits until nothing is under way. */
  close(): Promise<void>;
}

interface Waiting {
  items: readonly Item[];
  settle: (receipts: Receipt[]) => void;
  fail: (error: unknown) => void;
}

/** How many events one transaction takes: it holds the lock no longer than those need. */
const MAX_GROUP_SIZE = 256;
/**
 * Where no more than `FEW` wait, one transaction takes at most half of them or `SMALL`, whichever is more: while it is
 * written, those before it are answered and what comes next is read. Taken all at once, whoever sent them would come back
 * all at once, too, and until then nobody would write.
 */
const FEW = 64;
const SMALL = 16;
/** How many events may wait; more are sent away for a moment. */
export const MAX_QUEUED = 20_000;

/**
 * Group commit: the events of all requests that wait at the same moment go to the disk together, and each request is
 * answered when they are there. Where a group fails, its requests are taken one by one and then their events, so that
 * nothing that cannot be stored ever stops what comes beside or behind it.
 */
export class GroupCommitQueue implements EventQueue {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #log: Log;
  #waiting: Waiting[] = [];
  #waits = 0;
  readonly #busy = new BusyTime();
  #running: Promise<void> | undefined;

  constructor({ db, clock, log }: { db: Db; clock: Clock; log: Log }) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
  }

  get isFull(): boolean {
    return this.#waits >= MAX_QUEUED;
  }

  get busyMs(): number {
    return this.#busy.ms;
  }

  accept(items: readonly Item[], options: IngestOptions = {}): Promise<Receipt[]> {
    // Nothing of it is kept: it must not be in one transaction with what is.
    if (options.dryRun) return ingestItems(this.#db, this.#clock, items, options);
    const { promise, resolve, reject } = Promise.withResolvers<Receipt[]>();
    this.#waiting.push({ items, settle: resolve, fail: reject });
    this.#waits += items.length;
    this.#running ??= this.#run();
    return promise;
  }

  async close(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    this.#busy.begin();
    // Whoever else asks in this turn of the event loop comes along.
    for (await setImmediate(); this.#waiting.length > 0; await setImmediate()) {
      const group = this.#next();
      this.#waits -= sizeOf(group);
      await this.#commitGroup(group);
    }
    this.#running = undefined;
    this.#busy.end();
  }

  /** What waits the longest, whole requests, for one transaction. */
  #next(): Waiting[] {
    const most = this.#waits > FEW ? MAX_GROUP_SIZE : Math.max(SMALL, this.#waits / 2);
    let size = 0;
    let end = 0;
    while (end < this.#waiting.length && (end === 0 || size < most)) size += this.#waiting[end++]!.items.length;
    return this.#waiting.splice(0, end);
  }

  async #commitGroup(group: Waiting[]): Promise<void> {
    try {
      const receipts = await this.#store(group.flatMap(({ items }) => items));
      let start = 0;
      for (const { items, settle } of group) settle(receipts.slice(start, (start += items.length)));
    } catch (error) {
      if (error instanceof Unavailable) for (const { fail } of group) fail(error);
      else if (group.length > 1) for (const one of group) await this.#commitGroup([one]);
      else await this.#commitEach(group[0]!, error);
    }
  }

  async #commitEach({ items, settle, fail }: Waiting, error: unknown): Promise<void> {
    try {
      const [only, ...others] = items;
      if (others.length === 0) return settle([this.#refuse(only!, error)]);
      const receipts: Receipt[] = [];
      for (const item of items) {
        receipts.push(...(await this.#store([item]).catch((error: unknown) => [this.#refuse(item, error)])));
      }
      settle(receipts);
    } catch (error) {
      fail(error);
    }
  }

  #store(items: readonly Item[]): Promise<Receipt[]> {
    return ingestItems(this.#db, this.#clock, items);
  }

  #refuse({ checked }: Item, error: unknown): Receipt {
    if (error instanceof Unavailable) throw error;
    if (!('event' in checked)) return checked;
    const { id, type } = checked.event;
    this.#log.error({ err: error, event: { id, type } }, 'an event cannot be stored');
    const reason = 'cannot be stored because of a fault of the service, which its log tells of';
    return { id, status: 'rejected', place: '', reason, retry: true };
  }
}

const sizeOf = (group: Waiting[]): number => group.reduce((sum, { items }) => sum + items.length, 0);
