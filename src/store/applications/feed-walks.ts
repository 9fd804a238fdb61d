import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** The walks of applications through the whole feed of changes, in the table of attempts: `used` is 1 until one continues. */

const subjectOf = (application: number): string => `walk ${application}`;

/**
 * Begins the walk of a window. It may begin again for a while as long as no second page was read, because the response with
 * the first cursor can be lost.
 * @returns whether there was none, or that walk begins again
 */
export async function beginWalk(
  db: Db,
  now: number,
  application: number,
  { windowMs, againMs }: { windowMs: number; againMs: number },
): Promise<boolean> {
  const began = await db.all(sql`
    insert into throttles (subject, used, resets) values (${subjectOf(application)}, 1, ${now + windowMs})
    on conflict (subject) do update set
      used = 1, resets = case when throttles.resets <= ${now} then excluded.resets else throttles.resets end
      where throttles.resets <= ${now} or (throttles.used = 1 and throttles.resets > ${now + windowMs - againMs})
    returning resets`);
  return began.length > 0;
}

/** Notes that a page after the first one was read. */
export async function continueWalk(db: Db, application: number): Promise<void> {
  const subject = subjectOf(application);
  // Read first, because even a statement that changes nothing waits for the lock of other writers.
  const first = await db.get(sql`select used from throttles where subject = ${subject} and used = 1`);
  if (first !== undefined) await db.run(sql`update throttles set used = 2 where subject = ${subject} and used = 1`);
}
