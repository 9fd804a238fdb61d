import { getValue, type Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

const DAY_MS = 86_400_000;

/** `backup`: the time of the state in the newest backup of this database. */
type Run = 'backup' | 'purge';

/** When one last completed; undefined in a new database. */
export const lastRun = (db: Queryable, name: Run): Promise<number | undefined> =>
  getValue(db, sql`select completed from job_runs where name = ${name}`);

export async function recordRun(db: Queryable, name: Run, completed: number): Promise<void> {
  await db.run(sql`
    insert into job_runs (name, completed) values (${name}, ${completed})
    on conflict (name) do update set completed = excluded.completed`);
}

/**
 * Whether the clock is so far ahead of the last purge that it may be wrong. A purge by a clock that jumped ahead would
 * delete unexpired rows: the audit log, leaderboards, tokens.
 */
export const isClockSuspect = (last: number | undefined, now: number): boolean =>
  last !== undefined && now - last > DAY_MS;
