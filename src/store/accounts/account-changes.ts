import { nameKey } from '#platform/text.ts';
import { type Db, isUniqueViolation, type Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { accountById, emailKey, type Role } from './accounts.ts';
import { forgetPseudonym, isLeaving } from './pseudonyms.ts';
import { syncAccountName } from './account-names.ts';
import { endApplications, endSessions } from './account-sessions.ts';
import { syncOwnerSuspension, keysOwnedBy } from '#store/applications/suspension.ts';
import { endMailTokens, endMailTokensElsewhere } from './mail-tokens.ts';

/** Whoever knew the old password may have asked for links by mail: none of them opens anything any more. */
export async function setPassword(tx: Queryable, id: string, password: string): Promise<void> {
  await tx.run(sql`update accounts set password = ${password} where id = ${id}`);
  await endMailTokens(tx, id);
}

/** @returns false where another account has the address */
export async function setEmail(db: Db, id: string, email: string, verified: boolean): Promise<boolean> {
  return await unlessTaken(() =>
    db.transaction(async (tx) => {
      await tx.run(sql`
        update accounts set email = ${email}, email_key = ${emailKey(email)}, email_verified = ${verified ? 1 : 0}
        where id = ${id}`);
      await endMailTokensElsewhere(tx, id, email);
    }),
  );
}

export async function setVerified(db: Queryable, id: string): Promise<void> {
  await db.run(sql`update accounts set email_verified = 1 where id = ${id}`);
}

/** @returns false where another account has the name */
export async function setName(db: Db, id: string, name: string): Promise<boolean> {
  return await unlessTaken(() =>
    db.run(sql`update accounts set name = ${name}, name_key = ${nameKey(name)} where id = ${id}`),
  );
}

export async function setLocale(db: Queryable, id: string, locale: string): Promise<void> {
  await db.run(sql`update accounts set locale = ${locale} where id = ${id}`);
}

export async function setRole(db: Queryable, id: string, role: Role): Promise<void> {
  await db.run(sql`update accounts set role = ${role} where id = ${id}`);
}

/**
 * Closes an account to its owner and to every application, at once; or opens it again with null. Applications that nobody
 * else answers for stop, or go on.
 */
export async function setDisabled(db: Db, id: string, timestamp: number | null): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(sql`update accounts set disabled = ${timestamp} where id = ${id}`);
    await syncOwnerSuspension(tx, await keysOwnedBy(tx, id));
    if (timestamp === null) return;
    await endSessions(tx, id);
    await endApplications(tx, id);
    await endMailTokens(tx, id);
  });
}

/** `player leaving`: the account it was linked to was deleted a moment ago, and its traces are still being rewritten. */
export type LinkFailure = 'account linked' | 'player linked' | 'player leaving';

/**
 * Makes a game account and an account one person's; the account takes the game account's name. One that was merged into
 * another is that other: a player is one account's at most.
 */
export async function linkPlayer(
  tx: Queryable,
  id: string,
  player: { uuid: string; name: string },
): Promise<LinkFailure | undefined> {
  const account = await accountById(tx, id);
  if (account === undefined || account.player_uuid !== null) return 'account linked';
  const alias = await tx.get<{ into_uuid: string }>(sql`
    select into_uuid from player_aliases where uuid = ${player.uuid}`);
  const uuid = alias?.into_uuid ?? player.uuid;
  if (await isLinked(tx, uuid)) return 'player linked';
  if ((await isLeaving(tx, player.uuid)) || (await isLeaving(tx, uuid))) return 'player leaving';
  await tx.run(sql`update accounts set player_uuid = ${uuid} where id = ${id}`);
  await tx.runAll(syncAccountName(uuid, player.name));
  await tx.run(sql`delete from link_codes where account_id = ${id}`);
  await forgetPseudonym(tx, player.uuid);
  return undefined;
}

/** Whether a game account, or one that was merged into it, is an account's. */
export async function isLinked(tx: Queryable, uuid: string): Promise<boolean> {
  const holder = await tx.get(sql`
    select 1 as found from accounts where player_uuid = ${uuid}
      or player_uuid in (select uuid from player_aliases where into_uuid = ${uuid})`);
  return holder !== undefined;
}

/** The account keeps the name with its id behind: the plain one is the game account's. */
export async function unlinkPlayer(db: Queryable, id: string): Promise<boolean> {
  const changed = await db.run(sql`
    update accounts set player_uuid = null, name = name || '-' || id, name_key = name_key || '-' || id
    where id = ${id} and player_uuid is not null`);
  return changed === 1;
}

async function unlessTaken(change: () => Promise<unknown>): Promise<boolean> {
  try {
    await change();
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}
