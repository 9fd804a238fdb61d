import type { Queryable } from '#db/db.ts';
import type { WireEvent } from '#events/schema/index.ts';

/**
 * One result of an importer: an event to ingest, a refused file or entry, a note for the operator, or an entry that is
 * in the database already. `weight` is the number of small events that a large event counts for in a batch. An event
 * with `isKnownById` counts as a repetition of the stored one even if its content differs, because the source
 * has only the present name of a player. A checkpoint is called when all events before it are ingested.
 */
export type Finding = Where &
  (
    | { event: WireEvent; weight?: number; isKnownById?: boolean }
    | { refusal: string }
    | { note: string }
    | { unchanged: string }
    | { checkpoint: Checkpoint }
  );

/**
 * Records the progress of an import in a transaction. It may be called again after a deadlock.
 * @param refused the ids of the events since the last checkpoint that were refused
 */
export type Checkpoint = (tx: Queryable, refused: ReadonlySet<string>) => Promise<void>;

export interface Where {
  file: string;
  /** The position in the file, such as `line 3`; empty for the whole file. */
  place: string;
}

/** Thrown while a file is read: the reason why the file, or its part at `place`, cannot be imported. */
export class ImportRefusal extends Error {
  readonly place: string;

  constructor(reason: string, place = '') {
    super(reason);
    this.name = 'ImportRefusal';
    this.place = place;
  }
}
