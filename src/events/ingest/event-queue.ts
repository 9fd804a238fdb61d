import type { NewPlayerLimit } from './new-players.ts';
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
/** Maximum waiting events. */
export const MAX_QUEUED = 20_000;
