import type { Queryable, Transactional } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import { lockAccounts } from '../sequence.ts';

/**
 * A new key is published this long before it signs: an hour for clients with a cached key set, and five minutes in which
 * all processes notice it.
 */
export const PUBLISHED_AHEAD_MS = 65 * 60_000;
/**
 * A replaced key stays published this long. Its last ID token expires after a day (ACCESS_TOKEN_LIFETIME) at most, but is
 * also the `id_token_hint` of a sign-out, and a session ends 30 days after the sign-in.
 */
export const RETIRED_FOR_MS = 31 * 86_400_000;

/** A key that signs ID tokens, sealed under the secret key. */
export interface SigningKey {
  kid: string;
  created: number;
  sealed: string;
}

/** All signing keys, oldest first. */
export async function signingKeys(db: Queryable): Promise<SigningKey[]> {
  return await db.all<SigningKey>(sql`select kid, created, sealed from signing_keys order by created, kid`);
}

/** When the newest key was created; undefined if there is none. */
export async function newestSigningKey(db: Queryable): Promise<number | undefined> {
  const { created } = (await db.get<{ created: number | null }>(
    sql`select max(created) as created from signing_keys`,
  ))!;
  return created ?? undefined;
}

/**
 * Adds a key unless another process has added one since the newest was read: of several that found the same newest key,
 * one adds its own.
 * @param newest the creation time of the key that was the newest; undefined: there was none
 */
export async function addSigningKey(db: Transactional, key: SigningKey, newest: number | undefined): Promise<boolean> {
  return await db.transaction(async (tx) => {
    await lockAccounts(tx);
    if ((await newestSigningKey(tx)) !== newest) return false;
    await insertSigningKey(tx, key);
    return true;
  });
}

export async function insertSigningKey(tx: Queryable, { kid, created, sealed }: SigningKey): Promise<void> {
  await tx.run(sql`insert into signing_keys (kid, created, sealed) values (${kid}, ${created}, ${sealed})`);
}

/** Keys that are no longer published, as a condition: a newer key has replaced them long enough ago. */
export const unpublishedKeys = (now: number): Sql => sql`created < (
  select max(later.created) from signing_keys later where later.created <= ${now - PUBLISHED_AHEAD_MS - RETIRED_FOR_MS})`;

export async function deleteSigningKey(db: Queryable, kid: string): Promise<void> {
  await db.run(sql`delete from signing_keys where kid = ${kid}`);
}

export async function setSigningKeyCreated(db: Queryable, kid: string, created: number): Promise<void> {
  await db.run(sql`update signing_keys set created = ${created} where kid = ${kid}`);
}
