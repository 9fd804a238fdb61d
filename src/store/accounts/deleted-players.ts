import { exists, type Queryable, type Transactional } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { findPlayer, hasPseudonym, namesOf, type Player, playerByUuid } from '#store/game/players.ts';
import type { Punishment } from '#store/game/punishments.ts';
import { hasName, isShortName } from '#store/game/renamed-json.ts';
import { uuidOf } from '#text/text.ts';
import { Keys } from '../sequence.ts';
import { accountsOfPlayer } from './accounts.ts';
import { pseudonymise, pseudonymOf, pseudonymsByHash } from './pseudonyms.ts';

/**
 * The player that has the records of a game account whose owner deleted the account, and gets those of its later events.
 * Game servers and staff may know which of its punishments are in force, and not which player it is.
 */
export async function deletedPlayer(db: Queryable, uuid: string): Promise<Player | undefined> {
  const pseudonym = await pseudonymOf(db, uuid);
  return pseudonym && (await playerByUuid(db, pseudonym.uuid));
}

/** The UUIDs among these texts whose players were erased. */
export async function erasedAmong(db: Queryable, texts: readonly string[]): Promise<string[]> {
  const hashes = new Map(texts.flatMap((text) => uuidOf(text) ?? []).map((uuid) => [db.keyedHash(uuid), uuid]));
  if (hashes.size === 0) return [];
  return (await pseudonymsByHash(db, [...hashes.keys()])).map(([hash]) => hashes.get(hash)!);
}

export const isErased = async (db: Queryable, uuid: string): Promise<boolean> =>
  (await erasedAmong(db, [uuid])).length > 0;

/** Whether a UUID is that of a pseudonym, also after the game account came back. */
export async function isOfPseudonym(db: Queryable, uuid: string): Promise<boolean> {
  const player = await playerByUuid(db, uuid);
  return player === undefined ? await isPseudonym(db, uuid) : hasPseudonym(player);
}

/** What staff names: a player, or the UUID of an erased one, of whom staff learns no more than that. */
export type NamedByStaff = { player: Player; erased?: undefined } | { player?: undefined; erased: string };

/** The player that staff names by UUID, name or id, for all commands and pages; undefined if there is none. */
export async function findForStaff(db: Queryable, text: string): Promise<NamedByStaff | undefined> {
  const [erased] = await erasedAmong(db, [text]);
  if (erased !== undefined) return { erased };
  const player = await findPlayer(db, text);
  return player && { player };
}

/**
 * A punishment without what leads to the pseudonym but its key, which is not shown. An erasure writes the pseudonym into
 * reasons that named the player.
 */
export function strippedPunishment(punishment: Punishment, uuid: string): Punishment {
  const { punished } = punishment;
  const reason = punishment.reason.replaceAll(punished.name, '…').replaceAll(punished.uuid, '…');
  return { ...punishment, reason, punisher: null, punished: { uuid, name: '' }, server: '', automatic: false };
}

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
