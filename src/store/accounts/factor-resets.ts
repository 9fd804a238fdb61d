import { newSecret, secretHash } from '#platform/crypto/secrets.ts';
import { changesRow, type Db, getValue, type Queryable, type Transactional } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { recordAudit } from '../audit/audit.ts';
import { noteForOwner } from './account-notices.ts';
import { endSessions } from './account-sessions.ts';
import { type Account, accountById } from './accounts.ts';
import { hasFactor, lockFactors, removeFactorsSince } from './factors.ts';
import { establishedEmail, UNDO_MS } from './mail-tokens.ts';

/** The owner has this long to stop a reset. */
export const RESET_WAIT_MS = 86_400_000;

/** Why the second factors of an account are not reset. `staff`: those of staff are reset by a command only. */
export type ResetRefusal = 'staff' | 'no_factor' | 'waiting';

/** Why a reset cannot be asked for; undefined if it can. */
export async function resetRefusal(db: Queryable, { id, role }: Account): Promise<ResetRefusal | undefined> {
  if (role !== 'user') return 'staff';
  if (!(await hasFactor(db, id))) return 'no_factor';
  return (await resetOf(db, id)) === undefined ? undefined : 'waiting';
}

/** A reset that was asked for. */
export interface FactorReset {
  /** Of the link that stops it. */
  secret: string;
  effective: number;
  /** The address that gets the link: not one to which a thief may have changed it. */
  email: string;
}

/** Asks for a reset, which takes effect a day later. */
export async function startReset(
  db: Transactional,
  now: number,
  accountId: string,
): Promise<{ refused: ResetRefusal } | FactorReset> {
  const [secret, effective] = [newSecret(), now + RESET_WAIT_MS];
  return await db.transaction(async (tx) => {
    await lockFactors(tx, accountId);
    const account = await accountById(tx, accountId);
    const refused = account === undefined ? 'no_factor' : await resetRefusal(tx, account);
    if (refused !== undefined) return { refused };
    await tx.run(sql`
      insert into factor_resets (account_id, hash, effective) values (${accountId}, ${secretHash(secret)}, ${effective})`);
    return { secret, effective, email: await establishedEmail(tx, now, account!) };
  });
}

/** When the reset of an account takes effect; undefined if there is none. */
export const resetOf = (db: Queryable, accountId: string): Promise<number | undefined> =>
  getValue(db, sql`select effective from factor_resets where account_id = ${accountId}`);

/** The account whose reset the link stops. */
export async function stoppedReset(db: Queryable, secret: string): Promise<Account | undefined> {
  const id = await getValue<string>(db, sql`select account_id from factor_resets where hash = ${secretHash(secret)}`);
  return id === undefined ? undefined : await accountById(db, id);
}

/** Stops a reset by its link, which works once. @returns the account; undefined if there is no such reset */
export async function stopResetByLink(db: Queryable, secret: string): Promise<Account | undefined> {
  const row = await db.get<{ account_id: string }>(sql`
    delete from factor_resets where hash = ${secretHash(secret)} returning account_id`);
  return row && (await accountById(db, row.account_id));
}

/**
 * Stops the reset of an account by a proof in a session, if the factor that gave it was added `UNDO_MS` before the reset was asked
 * for and, of the factors from before that, is not the newest: that may be the one of a thief, and so may all be that came soon.
 * @param since when the proof was given at the earliest
 * @returns false if that does not hold, or there is no reset
 */
export const stopResetByProof = async (
  tx: Queryable,
  accountId: string,
  session: string,
  since: number,
): Promise<boolean> =>
  (await tx.run(sql`
    delete from factor_resets where account_id = ${accountId} and exists (
      select 1 from account_sessions s where s.uid_hash = ${session} and s.account_id = ${accountId}
        and s.proved > ${since} and s.proved_by <= factor_resets.effective - ${RESET_WAIT_MS + UNDO_MS}
        and s.proved_by < (select max(f.created) from (
          select created from passkeys where account_id = ${accountId}
          union all select created from totp_secrets where account_id = ${accountId}) f
          where f.created < factor_resets.effective - ${RESET_WAIT_MS}))`)) > 0;

/** Stops the reset of an account. @returns false if there is none */
export const stopReset = (tx: Queryable, accountId: string): Promise<boolean> =>
  changesRow(tx, sql`delete from factor_resets where account_id = ${accountId}`);

/** Carries out the resets that are due. */
export async function applyDueResets(db: Db, now: number): Promise<void> {
  while (await applyNextReset(db, now));
}

/**
 * Carries out one reset that is due: removes the second factors, ends the sessions, and notes it in the audit log and for the
 * owner. Of several processes that call this at once, one carries it out.
 * @returns false if no reset is due
 */
async function applyNextReset(db: Db, now: number): Promise<boolean> {
  const due = await db.shortReads.get<{ account_id: string }>(sql`
    select account_id from factor_resets where effective <= ${now} order by effective, account_id limit 1`);
  if (due === undefined) return false;
  await db.transaction(async (tx) => {
    await lockFactors(tx, due.account_id);
    const taken = await tx.run(sql`
      delete from factor_resets where account_id = ${due.account_id} and effective <= ${now}`);
    const account = taken === 0 ? undefined : await accountById(tx, due.account_id);
    if (account === undefined) return;
    await removeFactors(tx, account.id);
    await endSessions(tx, account.id);
    const actor = { via: 'sign-in', account_id: null, name: '', address: '' } as const;
    await recordAudit(tx, now, actor, { action: 'account.factors_removed', subject: account.id, label: account.name });
    await noteForOwner(tx, now, account.id, { kind: 'factors_removed', label: '' });
  });
  return true;
}

/** Removes all second factors of an account. The caller holds the lock of the account. @returns false if it had none */
export async function removeFactors(tx: Queryable, accountId: string): Promise<boolean> {
  const hadFactor = await hasFactor(tx, accountId);
  await removeFactorsSince(tx, accountId, 0);
  return hadFactor;
}
