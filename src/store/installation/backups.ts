import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** The time of the state in the newest backup of this database; undefined if there is none. */
export async function lastBackup(db: Queryable): Promise<number | undefined> {
  const row = await db.get<{ completed: number }>(sql`select completed from job_runs where name = 'backup'`);
  return row?.completed;
}

/** @param created the time of the state in the backup, which is complete */
export async function recordBackup(db: Queryable, created: number): Promise<void> {
  await db.run(sql`
    insert into job_runs (name, completed) values ('backup', ${created})
    on conflict (name) do update set completed = excluded.completed`);
}
