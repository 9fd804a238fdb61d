import type { Db } from '#db/db.ts';
import { purgeSteps, type Retention } from '#store/purge/purge.ts';

/** Deletes all expired rows without pauses. */
export async function purge(db: Db, retention: Retention, now: number): Promise<void> {
  const step = purgeSteps(db, retention, now);
  while (await step());
}
