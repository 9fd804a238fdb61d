import type { Db, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { unlinkPlayer } from '#store/accounts/account-changes.ts';
import { isPseudonym } from '#store/accounts/player-erasure.ts';
import { type Pseudonym, pseudonymise } from '#store/accounts/pseudonyms.ts';
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

/** The linked game accounts by the keyed hash of the UUID. */
export async function linkedGameAccounts(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db.tuples(sql`select player_uuid from accounts where player_uuid is not null`);
  return new Map(rows.map(([uuid]) => [db.keyedHash(uuid as string), uuid as string]));
}

/**
 * Erases a player again. A player who is missing from the backup gets the pseudonym for later events of game servers.
 * @param linked the accounts of the backup have links that were removed before the erasure
 * @returns whether records were erased
 */
export async function eraseAgain(
  db: Db,
  now: number,
  hash: string,
  { known, linked }: { known: KnownPseudonyms; linked: ReadonlyMap<string, string> },
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    // First, because events that rename or link a player hold this lock while they wait for the row of the account.
    await Keys.lock(tx);
    if (await isErased(tx, hash)) return false;
    const pseudonym = known.get(hash)!;
    const uuid = (await uuidOfPlayer(tx, pseudonym.player)) ?? linked.get(hash);
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

async function isErased(tx: Queryable, hash: string): Promise<boolean> {
  return (await tx.get(sql`select 1 as found from pseudonyms where uuid_hash = ${hash}`)) !== undefined;
}

/** By the key and not by the hash, because the secret key may have changed since the backup. */
async function uuidOfPlayer(tx: Queryable, key: number | undefined): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const row =
    (await tx.get<{ uuid: string }>(sql`select uuid from player_aliases where key = ${key}`)) ??
    (await tx.get<{ uuid: string }>(sql`select uuid from players where key = ${key}`));
  return row?.uuid;
}

/** A player who was erased without an account had unlinked it before. */
async function unlink(tx: Queryable, uuid: string): Promise<void> {
  const accounts = await tx.tuples(sql`select id from accounts where player_uuid = ${uuid}`);
  for (const [id] of accounts) await unlinkPlayer(tx, id as string);
}
