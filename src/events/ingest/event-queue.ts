import { FixedWindows } from '#http/fixed-windows.ts';
import { LIMITS } from '#http/limits.ts';
import type { Receipt } from '../ledger/receipts.ts';
import type { Item } from './prepare.ts';

/** The queue between the thread that checks events and the one that writes them to the ledger. */
export interface EventQueue {
  /** Whether the maximum of events waits, so that new requests are refused with 503. */
  readonly isFull: boolean;
  /** Total milliseconds during which the queue was writing events; a growing value means a busy database. */
  readonly busyMs: number;
  /**
   * Resolves to the receipts once the events are on disk.
   * @throws Unavailable if the database cannot be reached or written: no event was stored, or all were if the answer to
   * the commit was lost. The sender repeats them with the same ids.
   */
  accept(items: readonly Item[], options?: IngestOptions): Promise<Receipt[]>;
  /** Waits until all accepted events are written. */
  close(): Promise<void>;
}

export interface IngestOptions {
  /** Check the events and return receipts, but roll the transaction back. */
  dryRun?: boolean;
  /** Limits the players that game servers add; left out: no limit. */
  newPlayers?: NewPlayerLimit;
}

/**
 * Maximum rows (`EventType.weight`) of one transaction, to limit how long it holds the lock of the key sequence: a full one
 * takes some 25 ms on SQLite. A match of 1,000 new players is a transaction by itself and takes some 100 ms.
 */
export const MAX_GROUP_WEIGHT = 2_048;
export const MAX_QUEUED = 20_000;

/** Limits the players that each server adds in an hour. They are counted in memory: a restart begins a new hour. */
export class NewPlayerLimit {
  readonly perHour: number;
  readonly #windows = new FixedWindows(Infinity);

  /** @param perHour 0 for no limit */
  constructor(perHour: number) {
    this.perHour = perHour;
  }

  /**
   * Whether a server may add this many players now, in addition to `pending` ones that are not counted yet. The first event
   * of an hour always may: an event with more players than the limit would otherwise be refused for ever.
   */
  allows(serverKey: number, players: number, pending: number, now: number): boolean {
    const added = pending + (this.#windows.get(String(serverKey), now)?.used ?? 0);
    return this.perHour === 0 || players === 0 || added === 0 || added + players <= this.perHour;
  }

  /** Counts players that a committed transaction has added, by server. */
  count(added: ReadonlyMap<number, number>, now: number): void {
    const { windowMs } = LIMITS.newPlayer;
    for (const [key, price] of added) this.#windows.add({ subject: String(key), max: Infinity, windowMs, price }, now);
  }
}

/** Measures `busyMs` of a queue. */
export class BusyTime {
  #ended = 0;
  #began: number | undefined;

  begin(): void {
    this.#began ??= performance.now();
  }

  end(): void {
    this.#ended = this.ms;
    this.#began = undefined;
  }

  get ms(): number {
    return this.#ended + (this.#began === undefined ? 0 : performance.now() - this.#began);
  }
}
