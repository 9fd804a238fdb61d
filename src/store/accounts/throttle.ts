import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** How often something may be tried, counted from the first try. */
export interface AttemptLimit {
  attempts: number;
  windowMs: number;
}

/** Whether a try may be made, and when the subject may try afresh, in epoch milliseconds. */
export interface Attempted {
  allowed: boolean;
  resets: number;
}

/** Counts a try at what must not be guessed or flooded, before it is made. */
export async function countAttempt(
  db: Queryable,
  now: number,
  subject: string,
  { attempts, windowMs }: AttemptLimit,
): Promise<Attempted> {
  const row = await db.get<{ used: number; resets: number }>(sql`
    insert into throttles (subject, used, resets) values (${subject}, 1, ${now + windowMs})
    on conflict (subject) do update set
      used = case when throttles.resets <= ${now} then 1 else throttles.used + 1 end,
      resets = case when throttles.resets <= ${now} then excluded.resets else throttles.resets end
    returning used, resets`);
  return { allowed: row!.used <= attempts, resets: row!.resets };
}

/** Forgets a subject's tries, after one that succeeded. */
export async function clearAttempts(db: Queryable, subject: string): Promise<void> {
  await db.run(sql`delete from throttles where subject = ${subject}`);
}
