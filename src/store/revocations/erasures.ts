import { type Db, exists, getValue, type Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { unlinkPlayer } from '#store/accounts/account-changes.ts';
import { isPseudonym } from '#store/accounts/deleted-players.ts';
import { type Pseudonym, pseudonymise } from '#store/accounts/pseudonyms.ts';
import { rememberHash, removeHashedName } from '#store/accounts/removed-names.ts';
import { hiddenOn, NETWORK } from '#store/game/hidden-lists.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import { hasPseudonym, playerByKey } from '#store/game/players.ts';
import { Keys } from '#store/sequence.ts';
import type { Revocations } from './log-reader.ts';

/** The pseudonyms of a revocation log by the keyed hash of the UUID, so that erased players keep theirs. */
export type KnownPseudonyms = ReadonlyMap<string, Pseudonym & { player: number | undefined }>;

/** Reads `UUID NAME KEY`, where the key of the player is empty for a UUID that had no player. */
export function pseudonymsIn({ player }: Pick<Revocations, 'player'>): KnownPseudonyms {
  return new Map(
    [...player].map(([hash, detail]) => {
      const [uuid = '', name = '', key = ''] = detail.split(' ');
      return [hash, { uuid, name, player: key === '' ? undefined : Number(key) }];
    }),
  );
}

/** @returns whether the account existed; `last operator` if it was not deleted */
export async function deleteAgain(
  db: Db,
  now: number,
  id: string,
  known: KnownPseudonyms,
): Promise<boolean | 'last operator'> {
  const deleted = await deleteAccount(db, now, id, known);
  return deleted === 'last operator' ? deleted : deleted !== undefined;
}

const UUIDS_PER_PAGE = 1_000;

/** The game accounts of the backup that the log erases, by the keyed hash of the UUID: with and without an account or a player. */
export async function gameAccountsOf(db: Db, known: KnownPseudonyms): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (known.size === 0) return found;
  for (let after = ''; ;) {
    const rows = await db.tuples(sql`
      select uuid from (select uuid from players where uuid > ${after} order by uuid limit ${UUIDS_PER_PAGE}) p
      union select uuid from (select uuid from player_aliases where uuid > ${after} order by uuid limit ${UUIDS_PER_PAGE}) a
      union select uuid from (
        select player_uuid as uuid from accounts where player_uuid > ${after} order by player_uuid limit ${UUIDS_PER_PAGE}) l
      order by uuid limit ${UUIDS_PER_PAGE}`);
    for (const [uuid] of rows as [string][]) {
      const hash = db.keyedHash(uuid);
      if (known.has(hash)) found.set(hash, uuid);
    }
    if (rows.length < UUIDS_PER_PAGE) return found;
    after = String(rows.at(-1)![0]);
  }
}

/**
 * Erases a player again. A player who is missing from the backup gets the pseudonym for later events of game servers.
 * @param found what the backup has under the UUID: the log has the key that the player had at the erasure
 * @returns whether records were erased
 */
export async function eraseAgain(
  db: Db,
  now: number,
  hash: string,
  { known, found }: { known: KnownPseudonyms; found: ReadonlyMap<string, string> },
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    // First, because events that rename or link a player hold this lock while they wait for the row of the account.
    await Keys.lock(tx);
    if (await isErased(tx, hash)) return false;
    const pseudonym = known.get(hash)!;
    const uuid = (await uuidOfPlayer(tx, pseudonym.player)) ?? found.get(hash);
    // The backup has the erasure, and the game account was linked again before it: clocks of log and backup may differ.
    if (uuid === pseudonym.uuid) return false;
    const isStored = uuid !== undefined && !(await isPseudonym(tx, uuid));
    if (isStored) {
      await unlink(tx, uuid);
      await pseudonymise(tx, now, uuid, known);
    }
    await tx.run(sql`
      insert into pseudonyms (uuid_hash, uuid, name, created, ledger_done, original)
      select ${hash}, ${pseudonym.uuid}, ${pseudonym.name}, cast(${now} as bigint), 0, null
      where not exists (select 1 from pseudonyms where uuid_hash = ${hash} or uuid = ${pseudonym.uuid})`);
    return isStored;
  });
}

const isErased = (tx: Queryable, hash: string): Promise<boolean> =>
  exists(tx, sql`select 1 as found from pseudonyms where uuid_hash = ${hash}`);

/** By the key at first, because the secret key may have changed since the backup. */
async function uuidOfPlayer(tx: Queryable, key: number | undefined): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const alias = await getValue<string>(tx, sql`select uuid from player_aliases where key = ${key}`);
  return alias ?? (await getValue(tx, sql`select uuid from players where key = ${key}`));
}

/** A player who was erased without an account had unlinked it before. */
async function unlink(tx: Queryable, uuid: string): Promise<void> {
  const accounts = await tx.tuples(sql`select id from accounts where player_uuid = ${uuid}`);
  for (const [id] of accounts) await unlinkPlayer(tx, id as string);
}

/** Removes a name again, in a backup also the present one. @returns whether the player of the backup had it */
export async function removeNameAgain(
  db: Db,
  now: number,
  [subject, until]: readonly [string, string],
): Promise<boolean> {
  const [key = '', uuidHash = '', hash = ''] = subject.split(' ');
  const removal = { uuidHash, hash, until: Number(until) };
  return await db.transaction(async (tx) => {
    await Keys.lock(tx);
    const player = await playerByKey(tx, Number(key));
    const isErased = player !== undefined && hasPseudonym(player);
    await rememberHash(tx, { ...removal, player: isErased ? null : Number(key) });
    return player !== undefined && !isErased && (await removeHashedName(tx, now, player, removal));
  });
}

/** Adds the players who were hidden since the backup to its lists. @returns their number */
export async function hideAgain(db: Db, now: number, states: Revocations['hidden player']): Promise<number> {
  const hidden = [...states]
    .filter(([, state]) => state === 'hidden')
    .map(([subject]) => subject.split(' ').map(Number));
  let added = 0;
  for (const [scope, listed] of Map.groupBy(hidden, ([scope = NETWORK]) => scope)) {
    const server = await db.get(sql`select 1 as found from servers where key = ${scope}`);
    if (scope !== NETWORK && server === undefined) continue;
    const players = await Promise.all(listed.map(([, key = 0]) => playerByKey(db, key)));
    const uuids = new Set(players.flatMap((player) => (player && !hasPseudonym(player) ? player.uuid : [])));
    const known = await db.tuples(sql`select uuid from hidden_players where scope_key = ${scope} and uuid is not null`);
    const missing = uuids.difference(new Set(known.flat()));
    if (missing.size > 0) await setHidden(db, now, scope, [...(await hiddenOn(db, scope)), ...missing]);
    added += missing.size;
  }
  return added;
}
