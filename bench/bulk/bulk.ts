import type { Queryable } from '#db/db.ts';
import type { Sql } from '#db/sql.ts';

/** A connection that fills an empty database as fast as possible. No other process may use the database meanwhile. */
export interface Bulk extends AsyncDisposable {
  readonly tx: Queryable;
  /** Runs plain `insert … values` statements. */
  insert(statements: readonly Sql[]): Promise<void>;
  /** Commits the rest, creates the missing indexes and restores the usual settings. */
  finish(): Promise<void>;
}
