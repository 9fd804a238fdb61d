import type { AppContext } from '#context/context.ts';
import { recordChanges, type ResourceChange } from '#store/game/changes.ts';
import { Keys } from '#store/sequence.ts';

/** Records changes as an event does. */
export async function record(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  ...changes: readonly ResourceChange[]
): Promise<void> {
  await db.transaction(async (tx) => {
    await Keys.lock(tx);
    await recordChanges(tx, changes, clock.now());
  });
}
