import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type Player, playerByUuid } from '#store/game/players.ts';
import type { Punishment } from '#store/game/punishments.ts';
import { pseudonymOf } from './pseudonyms.ts';

/**
 * The player that has the records of a game account whose owner deleted the account, and gets those of its later events.
 * Game servers and staff may know which of its punishments are in force, and not which player it is.
 */
export async function deletedPlayer(db: Queryable, uuid: string): Promise<Player | undefined> {
  const pseudonym = await pseudonymOf(db, uuid);
  return pseudonym && (await playerByUuid(db, pseudonym.uuid));
}

/** A punishment without what leads to the pseudonym but its key, which is not shown. */
export const strippedPunishment = (punishment: Punishment, uuid: string): Punishment => ({
  ...punishment,
  ...{ punisher: null, punished: { uuid, name: '' }, server: '', automatic: false },
});

/** A punishment that returns with a game account, and the player who has it now. */
export interface ReturningPunishment {
  key: number;
  time: number;
  punished_key: number;
  body: string;
}

/**
 * The punishments that return with a game account when it is linked again, so that deleting the account and linking again
 * removes none: those in force at the deletion, and those issued since. Read before the link deletes the pseudonym.
 */
export async function returningPunishments(tx: Queryable, uuid: string): Promise<ReturningPunishment[]> {
  const pseudonym = await pseudonymOf(tx, uuid);
  const player = pseudonym && (await playerByUuid(tx, pseudonym.uuid));
  if (player === undefined) return [];
  const { created } = pseudonym!;
  return await tx.all<ReturningPunishment>(sql`
    select u.key, u.time, u.punished_key, l.body from punishments u join ledger l on l.key = u.key
    where u.punished_key = ${player.key} and (u.revoked is null or u.revoked >= ${created})
      and (u.expires is null or u.expires > ${created})
    order by u.key`);
}
