import type { Queryable } from '#db/db.ts';
import type { Sql } from '#db/sql.ts';
import { PlayerBook } from './players.ts';
import type { Keys } from './sequence.ts';
import { StatsBook } from './player-stats.ts';
import type { Receipt, Sender } from './receipts.ts';
import type { Server } from './servers.ts';

/**
 * One transaction's worth of events on their way into the records. What many events share (players, counters) is
 * gathered in books and written once; the rest waits in `rows`. `flush` writes all of it in an order that keeps
 * references whole.
 */
export class Batch {
  readonly tx: Queryable;
  readonly keys: Keys;
  readonly now: number;
  readonly sender: Sender;
  readonly players: PlayerBook;
  readonly stats = new StatsBook();
  readonly rows: Sql[] = [];

  constructor(tx: Queryable, keys: Keys, now: number, sender: Sender) {
    this.tx = tx;
    this.keys = keys;
    this.now = now;
    this.sender = sender;
    this.players = new PlayerBook(tx);
  }

  async flush(): Promise<void> {
    await this.tx.runAll([...this.players.take(), ...this.stats.take(), ...this.rows.splice(0)]);
  }
}

/** Where and when an event stands: what every noun's `apply…` is told beside the data. */
export interface Context {
  batch: Batch;
  /** The event's key: its receipt, and the id of what it brings into being where that is one thing. */
  key: number;
  time: number;
  /** The server the event belongs to; undefined for the network itself. */
  server: Server | undefined;
}

export const scopeOf = ({ server }: Context): number => server?.key ?? 0;

/** Thrown by a noun that cannot take an event, before it has changed anything. */
export class Refused extends Error {
  readonly place: string;

  constructor(place: string, reason: string) {
    super(reason);
    this.name = 'Refused';
    this.place = place;
  }
}

/** What a noun says of an event it took: a note for the sender, where there is something to note. */
export type Taken = Pick<Extract<Receipt, { status: 'accepted' }>, 'note'> | undefined;
