import type { Queryable } from '#db/db.ts';
import type { Sql } from '#db/sql.ts';

/** A connection for filling an empty database that nobody else uses, as fast as that database can be filled. */
export interface Bulk extends AsyncDisposable {
  readonly tx: Queryable;
  /** Runs statements that insert rows and do nothing else. */
  insert(statements: readonly Sql[]): Promise<void>;
  /** Makes what was filled in last, and leaves the database as one that was written in the usual way. */
  finish(): Promise<void>;
}
