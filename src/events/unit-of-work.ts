import type { Queryable } from '#db/db.ts';
import { Inserts } from './insert-buffer.ts';
import { PlayerAccumulator } from './player-accumulator.ts';
import type { KnownPlayer } from '#store/game/players.ts';
import type { Keys } from '#store/sequence.ts';
import type { Sender } from './receipts.ts';
import type { Server } from '#store/game/servers.ts';

/**
 * The events of one transaction on their way into the tables. What many events share (players, counters) is merged in
 * `players`; plain inserts queue in `rows`. `flush` writes both, in an order that keeps references whole.
 */
export class Batch {
  readonly tx: Queryable;
  readonly keys: Keys;
  readonly now: number;
  readonly players = new PlayerAccumulator();
  readonly rows = new Inserts();

  constructor(tx: Queryable, keys: Keys, now: number) {
    this.tx = tx;
    this.keys = keys;
    this.now = now;
  }

  /** Reads players that are about to be spoken of. */
  async load(uuids: Iterable<string>): Promise<void> {
    await this.players.load(this.tx, uuids);
  }

  async flush(): Promise<void> {
    const statements = [...this.players.take(), ...this.rows.take()];
    if (statements.length > 0) await this.tx.runAll(statements);
  }
}

/** Where and when an event stands: what every noun's `apply…` is told beside the data. */
export interface EventContext {
  batch: Batch;
  sender: Sender;
  /** The event's key: its receipt, and the id of what it brings into being where that is one thing. */
  key: number;
  time: number;
  /** The server the event belongs to; undefined for the network itself. */
  server: Server | undefined;
  /** Whether the event was taken before, and what it changed is worked out anew: its players were seen then. */
  again: boolean;
}

export const sourceOf = ({ server }: Pick<EventContext, 'server'>): number => server?.key ?? 0;

interface Named {
  uuid: string;
  name: string;
}

/** Notes that a player bore a name at a moment of an event whose own rows keep the name. */
export function findOrAddPlayer({ batch, again }: EventContext, player: Named, time: number): KnownPlayer {
  return again ? batch.players.known(player.uuid)! : batch.players.see(player, time, batch.keys);
}

/** As `see`, for an event whose rows do not keep the name. */
export function observePlayer(context: EventContext, player: Named, time = context.time): KnownPlayer {
  const { batch, key, again } = context;
  const known = findOrAddPlayer(context, player, time);
  if (!again) batch.rows.add('name_observations', [known.key, key, time, player.name]);
  return known;
}

/** Thrown by a noun that cannot take an event, before it has changed anything. */
export class EventRejected extends Error {
  readonly place: string;
  /** Whether the same event may be taken later: it speaks of something that is not known yet. */
  readonly early: boolean;

  constructor(place: string, reason: string, early = false) {
    super(reason);
    this.name = 'Refused';
    this.place = place;
    this.early = early;
  }
}

/**
 * What a noun says of an event it took: a note for the sender, where there is something to note, subjects (see
 * `aggregateOf`) that have to be worked out anew, and whether it is one that it knows, where the ledger does not.
 */
export type HandlerResult = { note?: string; stale?: readonly string[]; known?: true } | undefined;
