import type { SecretKey } from '#platform/crypto/secret-key.ts';
import { seal, unseal } from '#platform/crypto/seal.ts';
import { matchingSteps } from '#platform/crypto/totp.ts';
import { changesRow, getValue, type Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** The purpose of the key that seals the secrets. */
export const TOTP_SECRETS = 'totp secrets';

/** The authenticator app of an account, without its secret. */
export interface Totp {
  created: number;
  /** Null before the first sign-in. */
  last_used: number | null;
}

export const totpOf = (db: Queryable, accountId: string): Promise<Totp | undefined> =>
  db.get(sql`select created, last_used from totp_secrets where account_id = ${accountId}`);

export async function hasTotp(db: Queryable, key: SecretKey, accountId: string, secret: string): Promise<boolean> {
  const sealed = await sealedSecret(db, accountId);
  return sealed !== undefined && unseal(key.derive(TOTP_SECRETS), sealed) === secret;
}

const sealedSecret = (db: Queryable, accountId: string): Promise<string | undefined> =>
  getValue(db, sql`select sealed from totp_secrets where account_id = ${accountId}`);

/**
 * Stores the secret of an authenticator app, in the place of an earlier one. The caller holds the lock of the account.
 * @param step of the code that proved the app; it does not count again
 */
export async function setTotp(
  tx: Queryable,
  now: number,
  key: SecretKey,
  accountId: string,
  { secret, step }: { secret: string; step: number },
): Promise<void> {
  await deleteTotp(tx, accountId);
  await tx.run(sql`
    insert into totp_secrets (account_id, sealed, last_step, created)
    values (${accountId}, ${seal(key.derive(TOTP_SECRETS), secret)}, ${step}, ${now})`);
}

/** @returns false if the account had none */
export const deleteTotp = (tx: Queryable, accountId: string): Promise<boolean> =>
  changesRow(tx, sql`delete from totp_secrets where account_id = ${accountId}`);

/**
 * Uses a code of the account's authenticator app. One conditional statement: each time step counts once, in any number of
 * processes, and none before the last one that counted (RFC 6238 section 5.2).
 * @returns false for a wrong or used code, and if the account has no app, or a secret that the secret key cannot unseal
 */
export async function useTotpCode(
  db: Queryable,
  now: number,
  key: SecretKey,
  accountId: string,
  code: string,
): Promise<boolean> {
  const sealed = await sealedSecret(db, accountId);
  const secret = sealed && unseal(key.derive(TOTP_SECRETS), sealed);
  if (sealed === undefined || secret === undefined) return false;
  for (const step of matchingSteps(secret, code, now)) {
    const used = await db.run(sql`
      update totp_secrets set last_step = ${step}, last_used = ${now}
      where account_id = ${accountId} and sealed = ${sealed} and last_step < ${step}`);
    if (used === 1) return true;
  }
  return false;
}
