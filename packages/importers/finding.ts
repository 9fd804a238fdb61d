import type { Event } from '../sender/event.ts';
import type { ImportedRow } from './core.ts';

/**
 * One result of an importer: an event to ingest, a refused file or entry, a note for the operator, or an entry that is
 * in the database already. `weight` is the number of small events that a large event counts for in a batch. An event
 * with `isKnownById` counts as a repetition of the stored one even if its content differs, because the source
 * has only the present name of a player. A checkpoint is kept when all events before it are ingested.
 */
export type Finding<E = Event> = Where &
  (
    | { event: E; weight?: number; isKnownById?: boolean }
    | { refusal: string }
    | { note: string }
    | { unchanged: string }
    | { checkpoint: Checkpoint }
  );

/** What the core keeps of a source, in one transaction, for the next import of it. */
export interface Checkpoint {
  /** As in `Core.stateOf`. */
  source: string;
  /** The rows that were read, and those that the source no longer has. */
  rows?: { part: string; read?: readonly ReadRow[]; gone?: readonly GoneRow[] };
  /** The marks of parts; null deletes one. */
  marks?: Readonly<Record<string, string | null>>;
}

/** A row whose state is kept, unless one of its events was refused: then the next import reads it again. */
export interface ReadRow {
  row: ImportedRow;
  eventIds: readonly string[];
}

export interface GoneRow {
  rowId: string;
  eventIds: readonly string[];
}

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

/** Nothing can be imported, because of a mistake of the operator: one sentence, which the command prints. */
export class InputError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InputError';
  }
}
