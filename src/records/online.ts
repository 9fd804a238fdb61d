import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

const MINUTE_MS = 60_000;

export interface OnlineSample {
  /** The beginning of the minute. */
  time: number;
  count: number;
}

/** Notes how many players were online in a minute; of several who note it the first counts. */
export async function noteOnline(db: Queryable, now: number, count: number): Promise<void> {
  const time = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  await db.run(sql`insert into online_samples (time, count) values (${time}, ${count}) on conflict (time) do nothing`);
}

/** The samples since a moment, the oldest first. */
export async function onlineSince(db: Queryable, since: number): Promise<OnlineSample[]> {
  return await db.all<OnlineSample>(
    sql`select time, count from online_samples where time >= ${since} order by time limit 2000`,
  );
}
