import { changesRow, type Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { lastEmailChange } from './mail-tokens.ts';
import { countRecoveryCodes, deleteRecoveryCodes } from './recovery-codes.ts';
import { type Passkey, passkeysOf } from './passkeys.ts';
import { type Totp, totpOf } from './totp.ts';
import type { Role } from './accounts.ts';

/** What an account can prove besides its password. */
export interface Factors {
  passkeys: Passkey[];
  totp: Totp | undefined;
  /** The number of recovery codes that are left. */
  recovery_codes: number;
}

export async function factorsOf(db: Queryable, accountId: string): Promise<Factors> {
  return {
    passkeys: await passkeysOf(db, accountId),
    totp: await totpOf(db, accountId),
    recovery_codes: await countRecoveryCodes(db, accountId),
  };
}

/** Whether the account has a second factor: a passkey or an authenticator app. Recovery codes exist only beside one. */
export const hasFactor = async (db: Queryable, accountId: string): Promise<boolean> =>
  (await db.get(sql`
    select 1 as found from accounts where id = ${accountId}
      and (exists (select 1 from passkeys where account_id = accounts.id)
        or exists (select 1 from totp_secrets where account_id = accounts.id))`)) !== undefined;

/** Removes the factors and recovery codes that were added at this time or later, and all codes if no factor is left. */
export async function removeFactorsSince(tx: Queryable, accountId: string, since: number): Promise<void> {
  await tx.run(sql`delete from passkeys where account_id = ${accountId} and created >= ${since}`);
  await tx.run(sql`delete from totp_secrets where account_id = ${accountId} and created >= ${since}`);
  await removeCodesSince(tx, accountId, since);
  if (!(await hasFactor(tx, accountId))) await deleteRecoveryCodes(tx, accountId);
}

export async function removeCodesSince(tx: Queryable, accountId: string, since: number): Promise<void> {
  await tx.run(sql`delete from recovery_codes where account_id = ${accountId} and created >= ${since}`);
}

/** A session or a password that a mail gave cannot add the first factor of an account for this long. */
const MAIL_WAIT_MS = 24 * 3_600_000;

/** Makes an account without a factor wait for it, after a password or an address has been set for a person without a proof. */
export async function delayFirstFactor(tx: Queryable, now: number, accountId: string): Promise<void> {
  await tx.run(sql`update accounts set password_reset = ${now} where id = ${accountId}`);
}

/**
 * When the session may add the first factor of its account: a day after the mail, if the session began by a mailed link or
 * the password was reset by one, and a day after a change of the address by a signed-in person or by an operator. A thief of
 * the mailbox, or of the password who gets the address changed to an own one, so gets no factor before the owner has had a day.
 * Staff never waits, because a code of `scorehall account factor-code`, and no mail, allows their first factor.
 * @returns epoch milliseconds; in the past if it may now
 */
export async function firstFactorAllowedFrom(db: Queryable, accountId: string, sessionHash: string): Promise<number> {
  const row = await db.get<{ mailed: number | null; password_reset: number | null }>(sql`
    select s.mailed, a.password_reset from accounts a
      left join account_sessions s on s.account_id = a.id and s.uid_hash = ${sessionHash}
    where a.id = ${accountId} and a.role = 'user'`);
  if (row === undefined) return 0;
  const last = Math.max(row.mailed ?? 0, row.password_reset ?? 0, await lastEmailChange(db, accountId));
  return last === 0 ? 0 : last + MAIL_WAIT_MS;
}

/** Locks an account until the transaction ends, so that changes of its factors take turns. @returns false if it is deleted */
export const lockFactors = (tx: Queryable, accountId: string): Promise<boolean> =>
  changesRow(tx, sql`update accounts set created = created where id = ${accountId}`);

export interface StaffMember {
  name: string;
  role: Exclude<Role, 'user'>;
  /** When the code with which the first factor is added expires; null: there is none. */
  code_expires: number | null;
}

/** Operators and moderators with an active account and without a second factor. */
export const staffWithoutFactor = (db: Queryable): Promise<StaffMember[]> =>
  db.all(sql`
    select name, role, (select expires from factor_codes where account_id = accounts.id) as code_expires from accounts
    where role <> 'user' and disabled is null
      and not exists (select 1 from passkeys where account_id = accounts.id)
      and not exists (select 1 from totp_secrets where account_id = accounts.id)
    order by id`);
