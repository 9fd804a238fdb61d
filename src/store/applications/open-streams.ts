import type { Db, Queryable } from '#db/db.ts';
import { insertAll, sql } from '#db/sql.ts';

/** How long a report counts: a process that was killed does not take its own back. */
const LIFETIME_MS = 60_000;
/** How often a report that stays the same is repeated. */
export const REPORT_MS = LIFETIME_MS / 2;

/**
 * Replaces what a process has reported about its open streams.
 * @param counts by the keys of applications
 */
export async function reportOpenStreams(
  db: Db,
  now: number,
  process: string,
  counts: ReadonlyMap<number, number>,
): Promise<void> {
  const rows = [...counts].map(([application, count]) => [process, application, count, now]);
  await db.transaction(
    (tx) =>
      tx.runAll([
        sql`delete from open_streams where process = ${process} or reported < ${now - LIFETIME_MS}`,
        ...insertAll('insert into open_streams (process, application_key, count, reported) values', rows),
      ]),
    { durable: false },
  );
}

/** The open streams of an application in all processes. */
export async function countOpenStreams(db: Queryable, now: number, application: number): Promise<number> {
  const [sum] = (await db.tuple(sql`
    select coalesce(sum(count), 0) from open_streams
    where application_key = ${application} and reported >= ${now - LIFETIME_MS}`))!;
  return Number(sum);
}
