import { isUuidLabel, nameKey } from '#text/text.ts';
import { type Queryable, type Transactional, unlessTaken } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { accountById, emailKey, type Role } from './accounts.ts';
import { isOfPseudonym } from './deleted-players.ts';
import { deletePseudonym, isBeingAnonymised } from './pseudonyms.ts';
import { syncAccountName } from '#store/game/player-names.ts';
import { endApplications, endProofs, endSessions } from './account-sessions.ts';
import { lockAccounts } from '#store/sequence.ts';
import { keysOwnedBy, syncOwnerSuspension } from '#store/applications/suspension.ts';
import { endFactorCode } from './factor-codes.ts';
import { stopReset } from './factor-resets.ts';
import { delayFirstFactor } from './factors.ts';
import { endFactorUndos, endMailTokens, endMailTokensElsewhere, endUndos } from './mail-tokens.ts';

/** Sets the password hash and deletes mailed links, which a person with the old password may have requested. */
export async function setPassword(tx: Queryable, id: string, password: string): Promise<void> {
  await tx.run(sql`update accounts set password = ${password} where id = ${id}`);
  await endMailTokens(tx, id);
}

/** Sets the password by a link for its reset, which is a way in by mail. */
export async function resetPassword(tx: Queryable, now: number, id: string, password: string): Promise<void> {
  await setPassword(tx, id, password);
  await delayFirstFactor(tx, now, id);
}

/** Sets the address without a way to undo it, as an operator does. @returns false if another account has the address */
export async function setEmail(
  db: Transactional,
  now: number,
  id: string,
  { email, verified }: { email: string; verified: boolean },
): Promise<boolean> {
  const isSet = await unlessTaken(db, async (tx) => {
    await tx.run(sql`
      update accounts set email = ${email}, email_key = ${emailKey(email)}, email_verified = ${verified ? 1 : 0}
      where id = ${id}`);
    await endMailTokensElsewhere(tx, id, email);
    await endUndos(tx, id, 0);
    await delayFirstFactor(tx, now, id);
    return true;
  });
  return isSet === true;
}

export async function setVerified(db: Queryable, id: string): Promise<void> {
  await db.run(sql`update accounts set email_verified = 1 where id = ${id}`);
}

/** @returns false if another account has the name */
export async function setName(db: Transactional, id: string, name: string): Promise<boolean> {
  const changed = await unlessTaken(db, (tx) =>
    tx.run(sql`update accounts set name = ${name}, name_key = ${nameKey(name)} where id = ${id}`),
  );
  return changed !== undefined;
}

/**
 * Sets the role of an account. The second factors stay. Without a role a code to add one is void; with one only a command
 * resets them, and what a mail has proved does not allow a first one.
 * @returns false for the last operator, who stays one
 */
export async function setRole(db: Transactional, id: string, role: Role): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (role !== 'operator' && (await isLastOperator(tx, id))) return false;
    await tx.run(sql`update accounts set role = ${role} where id = ${id}`);
    if (role === 'user') await endFactorCode(tx, id);
    else {
      await stopReset(tx, id);
      await endFactorUndos(tx, id);
    }
    await endProofs(tx, id);
    return true;
  });
}

/**
 * Whether this account is the only active operator. Takes the lock of the account keys, so that of two operators who
 * leave at the same time one stays.
 */
export async function isLastOperator(tx: Queryable, id: string): Promise<boolean> {
  await lockAccounts(tx);
  const last = await tx.get(sql`
    select 1 as found from accounts where id = ${id} and role = 'operator' and not exists (
      select 1 from accounts o where o.role = 'operator' and o.disabled is null and o.id <> accounts.id)`);
  return last !== undefined;
}

/**
 * Disables an account for its owner and for every application with immediate effect, or enables it again with null.
 * Applications without another active owner are suspended, or resumed.
 * @returns false for the last operator, whose account stays enabled
 */
export async function setDisabled(db: Transactional, id: string, timestamp: number | null): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (timestamp !== null && (await isLastOperator(tx, id))) return false;
    await tx.run(sql`update accounts set disabled = ${timestamp} where id = ${id}`);
    await syncOwnerSuspension(tx, await keysOwnedBy(tx, id));
    if (timestamp === null) return true;
    await endSessions(tx, id);
    await endApplications(tx, id);
    await endMailTokens(tx, id);
    return true;
  });
}

/**
 * `player leaving`: an account linked to the player was just deleted, and the stored events are still being anonymised.
 * `pseudonym`: the UUID is that of a pseudonym, whose game account has another one.
 */
export type LinkFailure = 'account linked' | 'player linked' | 'player leaving' | 'pseudonym';

/**
 * Links a game account to an account, which takes the game account's name. A merged game account is treated as the
 * surviving one, so that a player is linked to at most one account.
 * @returns why the link is refused; undefined on success
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
  if (await isOfPseudonym(tx, uuid)) return 'pseudonym';
  if (await isLinked(tx, uuid)) return 'player linked';
  if ((await isBeingAnonymised(tx, player.uuid)) || (await isBeingAnonymised(tx, uuid))) return 'player leaving';
  await tx.run(sql`update accounts set player_uuid = ${uuid} where id = ${id}`);
  if (!isUuidLabel(player.name)) await tx.runAll(syncAccountName(uuid, player.name));
  await tx.run(sql`delete from link_codes where account_id = ${id}`);
  await deletePseudonym(tx, player.uuid);
  return undefined;
}

/** Whether a game account, or one that was merged into it, is linked to an account. */
export const isLinked = async (tx: Queryable, uuid: string): Promise<boolean> =>
  (await tx.get(sql`
    select 1 as found from accounts where player_uuid = ${uuid}
      or player_uuid in (select uuid from player_aliases where into_uuid = ${uuid})`)) !== undefined;

/** Unlinks the game account. The account's name gets its id appended, because the plain name is the game account's, unless it has it. */
export async function unlinkPlayer(db: Queryable, id: string): Promise<boolean> {
  const suffix = sql`case when name_key like '%-' || id then '' else '-' || id end`;
  const changed = await db.run(sql`
    update accounts set player_uuid = null, name = name || ${suffix}, name_key = name_key || ${suffix}
    where id = ${id} and player_uuid is not null`);
  return changed === 1;
}
