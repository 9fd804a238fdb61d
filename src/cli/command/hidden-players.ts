import { errorOutput } from '#platform/process/output.ts';
import type { Queryable } from '#db/db.ts';
import { erasedAmong } from '#store/accounts/deleted-players.ts';
import { hiddenOn } from '#store/game/hidden-lists.ts';

/** A list of hidden players, and which of them were erased. */
export async function wireHidden(db: Queryable, scope: number): Promise<Record<string, unknown>> {
  const hidden = await hiddenOn(db, scope);
  const erased = await noteErased(db, hidden);
  return { hidden, ...(erased.length > 0 && { hidden_erased: erased }) };
}

/** Says which hidden players were erased. @returns their UUIDs */
export async function noteErased(db: Queryable, hidden: readonly string[]): Promise<string[]> {
  const erased = await erasedAmong(db, hidden);
  for (const uuid of erased)
    errorOutput().write(
      `The player with the UUID ${uuid} was erased, and is left out of running matches. Heartbeats have names only: list ` +
        'the name of the game account as well.\n',
    );
  return erased;
}
