import type { Queryable } from '#db/db.ts';
import { join, row, sql } from '#db/sql.ts';

/** Maximum attempts within a window, which begins with the first one. */
export interface AttemptLimit {
  max: number;
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
 * @param subject what is limited: an address, an account, …
 */
export async function countAttempt(
  db: Queryable,
  now: number,
  subject: string,
  { max, windowMs }: AttemptLimit,
): Promise<AttemptResult> {
  const [count] = await countAttempts(db, now, [{ subject, count: 1, windowMs }]);
  const { used, resets } = count!;
  return { allowed: used <= max, used, resets };
}

/** Attempts that are counted together. */
export interface NewAttempts {
  subject: string;
  count: number;
  windowMs: number;
}

/** The count of a subject within its window. */
export interface AttemptCount {
  subject: string;
  used: number;
  /** The end of the window, epoch milliseconds. */
  resets: number;
}

/** Counts attempts of different subjects in one statement. */
export async function countAttempts(
  db: Queryable,
  now: number,
  attempts: readonly NewAttempts[],
): Promise<AttemptCount[]> {
  // All processes lock the rows in this order, so that two of them do not wait for each other.
  const sorted = attempts.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
  const rows = sorted.map(({ subject, count, windowMs }) => row([subject, count, now + windowMs]));
  return await db.all<AttemptCount>(sql`
    insert into throttles (subject, used, resets) values ${join(rows)}
    on conflict (subject) do update set
      used = case when throttles.resets <= ${now} then excluded.used else throttles.used + excluded.used end,
      resets = case when throttles.resets <= ${now} then excluded.resets else throttles.resets end
    returning subject, used, resets`);
}

/** Subtracts a counted attempt whose secret was right. */
export async function uncountAttempt(db: Queryable, subject: string): Promise<void> {
  await db.run(sql`update throttles set used = used - 1 where subject = ${subject} and used > 0`);
}

/** Resets the count of a subject after a successful attempt. */
export async function clearAttempts(db: Queryable, subject: string): Promise<void> {
  await db.run(sql`delete from throttles where subject = ${subject}`);
}
