import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

const DAY_MS = 86_400_000;

/** When a purge last completed; undefined in a new database. */
export async function lastPurge(db: Queryable): Promise<number | undefined> {
  const row = await db.get<{ completed: number }>(sql`select completed from job_runs where name = 'purge'`);
  return row?.completed;
}

export async function recordPurge(db: Queryable, now: number): Promise<void> {
  await db.run(sql`
    insert into job_runs (name, completed) values ('purge', ${now})
    on conflict (name) do update set completed = excluded.completed`);
}

/**
 * Whether the clock is so far ahead of the last purge that it may be wrong. A purge by a clock that jumped ahead would
 * delete unexpired rows: the audit log, leaderboards, tokens.
 */
export const isClockSuspect = (last: number | undefined, now: number): boolean =>
  last !== undefined && now - last > DAY_MS;
