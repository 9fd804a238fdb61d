import type { Db, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { playerByUuid } from '#store/game/players.ts';
import { Keys } from '../sequence.ts';
import { accountsOfPlayer } from './accounts.ts';
import { pseudonymise } from './pseudonyms.ts';

/** Why a player is not erased. The player of an account is erased with the account. */
export type ErasureRefusal = 'no player' | 'has an account' | 'erased already';

/**
 * Erases a player without an account: the records continue under a pseudonym, as after the deletion of an account.
 * A job replaces the player in the stored events.
 * @returns the pseudonym's UUID and the key of the job, or why the player is not erased
 */
export async function erasePlayer(
  db: Db,
  now: number,
  uuid: string,
): Promise<{ uuid: string; job: number | undefined } | { refusal: ErasureRefusal }> {
  return await db.transaction(async (tx) => {
    // The lock keeps an event from linking the player to an account meanwhile.
    await Keys.lock(tx);
    const player = await playerByUuid(tx, uuid);
    if (player === undefined) return { refusal: 'no player' };
    if ((await accountsOfPlayer(tx, player.uuid)).length > 0) return { refusal: 'has an account' };
    if (await isPseudonym(tx, player.uuid)) return { refusal: 'erased already' };
    const job = await pseudonymise(tx, now, player.uuid);
    const erased = await tx.get<{ uuid: string }>(sql`select uuid from players where key = ${player.key}`);
    return { uuid: erased!.uuid, job };
  });
}

/** Whether a UUID is a pseudonym. */
export async function isPseudonym(db: Queryable, uuid: string): Promise<boolean> {
  return (await db.get(sql`select 1 as found from pseudonyms where uuid = ${uuid}`)) !== undefined;
}
