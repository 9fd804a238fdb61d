import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** How often something may be tried, counted from the first try. */
export interface Allowed {
  tries: number;
  windowMs: number;
}

/** Whether a try may be made, and when the subject may try afresh, in epoch milliseconds. */
export interface Try {
  allowed: boolean;
  resets: number;
}

/** Counts a try at what must not be guessed or flooded, before it is made. */
export async function tryOnce(db: Queryable, now: number, subject: string, { tries, windowMs }: Allowed): Promise<Try> {
  const row = await db.get<{ used: number; resets: number }>(sql`
    insert into throttles (subject, used, resets) values (${subject}, 1, ${now + windowMs})
    on conflict (subject) do update set
      used = case when throttles.resets <= ${now} then 1 else throttles.used + 1 end,
      resets = case when throttles.resets <= ${now} then excluded.resets else throttles.resets end
    returning used, resets`);
  return { allowed: row!.used <= tries, resets: row!.resets };
}

/** Forgets a subject's tries, after one that succeeded. */
export async function forgetTries(db: Queryable, subject: string): Promise<void> {
  await db.run(sql`delete from throttles where subject = ${subject}`);
}
