import { exists, type Queryable, type Transactional } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { namesOf, playerByUuid } from '#store/game/players.ts';
import { hasName, isShortName } from '#store/game/renamed-json.ts';
import { Keys } from '../sequence.ts';
import { accountsOfPlayer } from './accounts.ts';
import { pseudonymise, pseudonymOf } from './pseudonyms.ts';

/** Why a player is not erased. The player of an account is erased with the account. */
export type ErasureRefusal = 'no player' | 'has an account' | 'erased already';

/**
 * Erases a player without an account: the records continue under a pseudonym, as after the deletion of an account.
 * A job replaces the player in the stored events, also one of whom all events are withdrawn.
 * @param isNamed whether a player or a stored event has the UUID (`isNamedAnywhere`)
 * @returns the pseudonym's UUID and the key of the job, or why the player is not erased
 */
export async function erasePlayer(
  db: Transactional,
  now: number,
  uuid: string,
  isNamed?: boolean,
): Promise<{ uuid: string; job: number | undefined } | { refusal: ErasureRefusal }> {
  const isKnown = isNamed ?? (await isNamedAnywhere(db, uuid));
  return await db.transaction(async (tx) => {
    // The lock keeps an event from linking the player to an account meanwhile.
    await Keys.lock(tx);
    const own = (await playerByUuid(tx, uuid))?.uuid ?? uuid;
    if ((await accountsOfPlayer(tx, own)).length > 0) return { refusal: 'has an account' };
    if ((await isPseudonym(tx, own)) || (await pseudonymOf(tx, own)) !== undefined)
      return { refusal: 'erased already' };
    if (!isKnown) return { refusal: 'no player' };
    const job = await pseudonymise(tx, now, own);
    return { uuid: (await pseudonymOf(tx, own))!.uuid, job };
  });
}

export const isPseudonym = (db: Queryable, uuid: string): Promise<boolean> =>
  exists(db, sql`select 1 as found from pseudonyms where uuid = ${uuid}`);

/**
 * Whether a player or a withdrawn event has the UUID. Outside of a transaction, because it may read the whole ledger: no index
 * finds the events that mention a UUID.
 */
export async function isNamedAnywhere(db: Queryable, uuid: string): Promise<boolean> {
  if ((await playerByUuid(db, uuid)) !== undefined) return true;
  const text = `%${uuid.replaceAll('-', '')}%`;
  const row = await db.get(sql`
    select 1 as found from ledger where withdrawn is not null and replace(lower(body), '-', '') like ${text} limit 1`);
  return row !== undefined;
}

/** The punishments of a player whose reasons keep a name after the erasure, because it is too short. */
export async function punishmentsKeepingName(db: Queryable, uuid: string): Promise<{ key: number; reason: string }[]> {
  const player = await playerByUuid(db, uuid);
  if (player === undefined) return [];
  const short = (await namesOf(db, player.key)).map(({ name }) => name).filter(isShortName);
  if (short.length === 0) return [];
  const rows = await db.all<{ key: number; reason: string; revoke_reason: string }>(sql`
    select key, reason, revoke_reason from punishments where punished_key = ${player.key} order by key desc`);
  return rows.flatMap(({ key, reason, revoke_reason }) => {
    const named = [reason, revoke_reason].filter((text) => hasName(text, short));
    return named.length === 0 ? [] : [{ key, reason: named.join(' / ') }];
  });
}
