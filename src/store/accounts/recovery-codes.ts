import { randomBytes } from 'node:crypto';
import { secretHash } from '#platform/crypto/secrets.ts';
import { base32 } from '#platform/text/base32.ts';
import { getValue, type Queryable } from '#db/db.ts';
import { join, row, sql } from '#db/sql.ts';

export const RECOVERY_CODES = 10;
/** 80 bits, so that a plain hash does not reveal the code, and guesses need no limit. */
const BYTES = 10;

export const randomCode = (): string => base32(randomBytes(BYTES));

/** A code as people read it: `ABCD-EFGH-IJKL-MNOP`. */
export const shownCode = (plain: string): string => plain.match(/.{4}/g)!.join('-');

/** The hash depends on the account: a code of one is none of another, and known devices do not show which share a browser. */
export const codeHash = (accountId: string, plain: string): string => secretHash(`${accountId} ${plain}`);

/**
 * Replaces the recovery codes of an account. The caller holds the lock of the account.
 * @returns the codes like `ABCD-EFGH-IJKL-MNOP`, which are stored only as hashes
 */
export async function renewRecoveryCodes(tx: Queryable, now: number, accountId: string): Promise<string[]> {
  await deleteRecoveryCodes(tx, accountId);
  const plain = Array.from({ length: RECOVERY_CODES }, randomCode);
  const rows = plain.map((code) => row([codeHash(accountId, code), accountId, now]));
  await tx.run(sql`insert into recovery_codes (hash, account_id, created) values ${join(rows)}`);
  return plain.map(shownCode);
}

export async function deleteRecoveryCodes(tx: Queryable, accountId: string): Promise<void> {
  await tx.run(sql`delete from recovery_codes where account_id = ${accountId}`);
}

export const countRecoveryCodes = async (db: Queryable, accountId: string): Promise<number> =>
  (await getValue<number>(db, sql`select count(*) from recovery_codes where account_id = ${accountId}`))!;

/** When the recovery codes that are left were made; undefined without one. */
export const recoveryCodesSince = (db: Queryable, accountId: string): Promise<number | undefined> =>
  getValue(db, sql`select created from recovery_codes where account_id = ${accountId} limit 1`);

/** Uses a recovery code: of concurrent requests, in any number of processes, one succeeds. @returns false for any other code */
export const useRecoveryCode = async (db: Queryable, accountId: string, plain: string): Promise<boolean> =>
  (await db.run(sql`
    delete from recovery_codes where hash = ${codeHash(accountId, plain)} and account_id = ${accountId}`)) > 0;
