import type { Transactional } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { Keys } from '../sequence.ts';
import { recordChanges } from './changes.ts';
import { HiddenLists } from './hidden-lists.ts';
import { changesOfReported, hideReported } from './hidden-players.ts';

/**
 * Stores whether matches hide private players, for their readers. After another choice than before, a job records changes of the
 * matches of all private players, so that copies of them follow.
 */
export async function storeMatchPrivacy(db: Transactional, now: number, isHidden: boolean): Promise<void> {
  await db.transaction(async (tx) => {
    await Keys.lock(tx);
    const hidden = Number(isHidden);
    if ((await tx.run(sql`update private_in_matches set hidden = ${hidden} where hidden <> ${hidden}`)) === 0) return;
    await tx.run(sql`
      insert into renamed_players (player_key, done, played)
      select p.key, 0, 1 from private_players v join players p on p.uuid = v.uuid where v.profile = 1
      on conflict (player_key) do update set done = 0, played = 1`);
    await hideReported(tx, await HiddenLists.read(tx));
    await recordChanges(tx, await changesOfReported(tx), now);
  });
}
