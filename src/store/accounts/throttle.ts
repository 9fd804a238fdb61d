import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** The number of attempts allowed within a window that begins with the first one. */
export interface AttemptLimit {
  attempts: number;
  windowMs: number;
}

export interface AttemptResult {
  allowed: boolean;
  /** Attempts within the window, this one included. */
  used: number;
  /** The end of the window, epoch milliseconds. */
  resets: number;
}

/**
 * Counts an attempt at a guessable secret or a form that may be flooded. Call it before the attempt.
 * @param subject what is throttled: an address, an account, …
 */
export async function countAttempt(
  db: Queryable,
  now: number,
  subject: string,
  { attempts, windowMs }: AttemptLimit,
): Promise<AttemptResult> {
  const row = await db.get<{ used: number; resets: number }>(sql`
    insert into throttles (subject, used, resets) values (${subject}, 1, ${now + windowMs})
    on conflict (subject) do update set
      used = case when throttles.resets <= ${now} then 1 else throttles.used + 1 end,
      resets = case when throttles.resets <= ${now} then excluded.resets else throttles.resets end
    returning used, resets`);
  return { allowed: row!.used <= attempts, used: row!.used, resets: row!.resets };
}

/** Takes a counted attempt back, because it was none at guessing: the secret was right. */
export async function uncountAttempt(db: Queryable, subject: string): Promise<void> {
  await db.run(sql`update throttles set used = used - 1 where subject = ${subject} and used > 0`);
}

/** Resets the count of a subject after a successful attempt. */
export async function clearAttempts(db: Queryable, subject: string): Promise<void> {
  await db.run(sql`delete from throttles where subject = ${subject}`);
}
