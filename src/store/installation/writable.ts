import { Unavailable } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import { READ_ONLY } from '#db/postgres/refusals.ts';
import { sql } from '#db/sql.ts';
import { refuseMoved } from '#db/transfer/closing.ts';

/**
 * Proves that the database can be written by a write that changes nothing.
 * @throws UsageError if the network has moved to another database
 * @throws Unavailable if the disk is full, or the file, disk or server is read-only
 */
export async function checkWritable(db: Db): Promise<void> {
  await refuseMoved(db);
  await db.run(sql`update data_versions set value = value where name = 'database'`);
}

/** Whether the error is that of a PostgreSQL server which takes no writes, as a standby does. */
export const isReadOnlyServer = (error: unknown): boolean =>
  error instanceof Unavailable && (error.cause as { code?: unknown } | undefined)?.code === READ_ONLY;
