import type { Queryable } from '#db/db.ts';
import type { ResourceKind } from '#store/game/changes.ts';
import type { Renamed } from '#store/game/own-teams.ts';
import type { Budget } from '../ledger/chunk.ts';
import type { LedgerRow } from '../ledger/ledger-rows.ts';
import type { Session } from '../ledger/observations.ts';
import type { EventName } from '../schema/index.ts';
import type { EventType } from '../schema/event-type.ts';
import type { UnitOfWork, EventContext, HandlerResult } from '../ledger/unit-of-work.ts';

/**
 * The effect of an event and its retraction: one value for each type, listed in `index.ts`. The schema of the type is in
 * `../schema/`.
 * @template Data the data of the event as `prepared` returns it
 */
export interface EventEffect<Data = unknown> {
  /**
   * Applies the event. A handler that reads queued rows flushes the unit of work first.
   * @throws EventRejected
   */
  apply(context: EventContext, data: Data): Promise<HandlerResult> | HandlerResult;
  /** Reads rows that `apply` would read one by one, for all events of a transaction, in few statements. */
  load?(work: UnitOfWork, events: readonly { scope: number; data: Data }[]): Promise<void> | void;
  /** The kinds of public resources that it, its retraction and its replay may change (`store/game/changes.ts`). */
  changes: readonly ResourceKind[];
  /** Whether a UUID may mean another player after the event, so that later events of the transaction are looked up again. */
  changesPlayers: boolean;
  /**
   * The aggregate that it changes: rows whose content depends on the order of events (`jobs/rebuild.ts`). Null if the event
   * changes only sums and newest values, which need no other event to retract it, or if `apply` returns the aggregate.
   */
  aggregate: ((data: Data, scope: number) => string) | null;
  /** The player whose name it records; null if it records none, or `retract` works in chunks. */
  observes: ((data: Data) => Observation) | null;
  retract: Retraction<Data>;
  /**
   * Replaces deleted players in the rows of the event; null if they store no names or UUIDs. The caller replaces the names of
   * `observes`.
   */
  anonymise: ((work: UnitOfWork, event: number, players: DeletedPlayers) => Promise<void> | void) | null;
  /** Whether an earlier event of the same id has the same meaning, although the data differ; left out: it has not. */
  isSame?(tx: Queryable, earlier: Accepted, raw: string): Promise<boolean>;
  /**
   * Prepares the export of rows of the type; left out: their data are exported as the ledger stores them.
   * @returns a function that completes the data of one of them
   */
  exported?(db: Queryable, rows: readonly LedgerRow[]): Promise<Completion>;
}

export type Effects<Types extends Record<string, EventType>> = {
  readonly [T in keyof Types]: EventEffect<ReturnType<Types[T]['prepared']['from']>>;
};

export interface Observation {
  uuid: string;
  /** Undefined if the event does not know it. */
  name?: string | undefined;
  /** Set if it may be the last login or logout of the player. */
  session?: Session;
}

/** The way to make the tables as if the event had never been sent. */
export type Retraction<Data> =
  /** Not retracted: operators send this event to reverse it. */
  | { reversedBy: EventName | 'nothing' }
  /** The ledger does not store the event. */
  | 'not stored'
  /** Deletes its rows, but not the name that it observed, and subtracts it from sums. @returns the aggregate to derive again */
  | { undo(work: UnitOfWork, row: LedgerRow, data: Data): Promise<string | null> | string | null }
  | ChunkedRetraction;

/** Retracts an event of so many rows that it takes several transactions. `next` returns undefined when it is done. */
export interface ChunkedRetraction {
  begin(work: UnitOfWork, row: LedgerRow): Promise<ChunkCursor>;
  next(work: UnitOfWork, row: LedgerRow, cursor: never, budget: Budget): Promise<ChunkCursor | undefined>;
}

/** The position at which a retraction in chunks continues. */
export interface ChunkCursor {
  /** The key of the event. */
  key: number;
}

export interface DeletedPlayers {
  /** By the original UUID. */
  pseudonyms: Renamed;
  /** Their names, as far as they are known. */
  names: ReadonlySet<string>;
  /** The player who has the pseudonym; undefined if the UUIDs only were merged into a player of another account. */
  owner: { key: number; name: string } | undefined;
}

/** An event in the ledger: the key of its server, and its data as JSON. */
export interface Accepted {
  scope: number;
  body: string;
  aggregate: string | null;
}

export type Completion = (row: LedgerRow, data: Record<string, unknown>) => object;

/**
 * A kind of aggregate: rows whose content depends on the order of events. Retracting one of the events rebuilds the rows
 * from the others. A ledger row refers to its aggregate by the prefix of the kind, a space and a name.
 */
export interface AggregateKind {
  prefix: string;
  /** The kind of public resources that its rows are. */
  changes: readonly ResourceKind[];
  /** Deletes the rows of an aggregate. */
  reset(work: UnitOfWork, name: string): Promise<unknown>;
  /** The events from which the rows are rebuilt, in their order; left out: all. */
  events?: (tx: Queryable, reference: string, name: string) => Promise<LedgerRow[]>;
}

/** For events that only change their aggregate, or only observe a name. */
export const AGGREGATE_ONLY = { undo: (_batch: UnitOfWork, { aggregate }: LedgerRow): string | null => aggregate };

/** What most effects have; the others name their own after it. */
export const PLAIN_EFFECT = { changesPlayers: false, aggregate: null, observes: null, anonymise: null } as const;
