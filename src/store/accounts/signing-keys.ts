import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Config } from '#platform/config/config.ts';
import { seal, unseal } from '#platform/crypto/seal.ts';
import { openSecretKey, type SecretKey } from '#platform/crypto/secret-key.ts';
import { UsageError } from '#platform/errors.ts';
import { type Db, getValue, type Queryable, type Transactional } from '#db/db.ts';
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
export const signingKeys = (db: Queryable): Promise<SigningKey[]> =>
  db.all(sql`select kid, created, sealed from signing_keys order by created, kid`);

/** When the newest key was created; undefined if there is none. */
const newestSigningKey = (db: Queryable): Promise<number | undefined> =>
  getValue(db, sql`select created from signing_keys order by created desc limit 1`);

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

async function insertSigningKey(tx: Queryable, { kid, created, sealed }: SigningKey): Promise<void> {
  await tx.run(sql`insert into signing_keys (kid, created, sealed) values (${kid}, ${created}, ${sealed})`);
}

/** Keys that are no longer published, as a condition: a newer key has replaced them long enough ago. */
export const unpublishedKeys = (now: number): Sql => sql`created < (
  select max(later.created) from signing_keys later where later.created <= ${now - PUBLISHED_AHEAD_MS - RETIRED_FOR_MS})`;

/** A decrypted private key. */
export interface OpenKey {
  created: number;
  jwk: JWK;
}

/** All decrypted keys, oldest first. Creates the first key if there is none. */
export async function openKeys(db: Transactional, secret: SecretKey, now: number): Promise<OpenKey[]> {
  let rows = await signingKeys(db);
  if (rows.length === 0) {
    await addSigningKey(db, await newKey(secret, now), undefined);
    rows = await signingKeys(db);
  }
  return rows.map((row) => ({ created: row.created, jwk: decryptKey(row, secret) }));
}

/** The decrypted private keys that are published now, the signing key first. Creates the first key if there is none. */
export const currentKeys = async (db: Db, secret: SecretKey, now: number): Promise<JWK[]> =>
  publishedKeys(await openKeys(db, secret, now), now).map(({ jwk }) => jwk);

/**
 * Adds a key that starts to sign after `PUBLISHED_AHEAD_MS`; the previous key stays published until its tokens expire.
 * @returns the new key's `kid`
 */
export async function rotateKeys(db: Transactional, secret: SecretKey, now: number): Promise<string> {
  await openKeys(db, secret, now);
  for (;;) {
    const newest = (await newestSigningKey(db))!;
    const key = await newKey(secret, Math.max(now, newest + 1));
    if (await addSigningKey(db, key, newest)) return key.kid;
  }
}

/** Adds a key if the newest is older than `SIGNING_KEY_LIFETIME`; of several processes, one does. */
export async function rotateOldKey(db: Db, config: Config, now: number): Promise<void> {
  const newest = await newestSigningKey(db);
  const lifetime = config.SIGNING_KEY_LIFETIME * 1000;
  if (lifetime === 0 || newest === undefined || now < newest + lifetime) return;
  await addSigningKey(db, await newKey(openSecretKey(config), now), newest);
}

/**
 * Deletes a key, so that its tokens are refused. If it signs, the next newer key signs at once, or a new one: a retired key,
 * which somebody may have replaced for a reason, never signs again.
 * @returns the `kid` of the key that signs afterwards
 */
export async function withdrawKey(
  db: Transactional,
  secret: SecretKey,
  { kid, now }: { kid: string; now: number },
): Promise<string> {
  const spare = await newKey(secret, now);
  return await db.transaction(async (tx) => {
    await lockAccounts(tx);
    const rows = await signingKeys(tx);
    const signing = publishedKeys(rows, now)[0]!;
    await tx.run(sql`delete from signing_keys where kid = ${kid}`);
    if (kid !== signing.kid) return signing.kid;
    // Older than PUBLISHED_AHEAD_MS, so that it signs; the withdrawn key is older still, and so are the retired ones.
    const created = Math.max(signing.created, now - PUBLISHED_AHEAD_MS);
    const next = rows[rows.indexOf(signing) + 1];
    if (next === undefined) await insertSigningKey(tx, { ...spare, created });
    else
      await tx.run(sql`
        update signing_keys set created = ${Math.min(next.created, created)} where kid = ${next.kid}`);
    return next?.kid ?? spare.kid;
  });
}

/**
 * Selects the keys that are published at a time, the signing key first.
 * @param keys all keys, oldest first
 */
export function publishedKeys<T extends { created: number }>(keys: readonly T[], now: number): T[] {
  const signsFrom = keys.map(({ created }, index) => (index === 0 ? 0 : created + PUBLISHED_AHEAD_MS));
  const signing = signsFrom.findLastIndex((timestamp) => timestamp <= now);
  const others = keys.filter((_, index) => {
    const replaced = signsFrom[index + 1];
    return index !== signing && (index > signing || replaced! + RETIRED_FOR_MS > now);
  });
  return [keys[signing]!, ...others];
}

/** When `publishedKeys` next changes; `Infinity` if never. */
export function nextChange(keys: readonly { created: number }[], now: number): number {
  const changes = keys.map(({ created }) => created + PUBLISHED_AHEAD_MS).flatMap((at) => [at, at + RETIRED_FOR_MS]);
  return Math.min(...changes.filter((at) => at > now));
}

async function newKey(secret: SecretKey, created: number): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' };
  const kid = await calculateJwkThumbprint(jwk);
  return { kid, created, sealed: seal(secret.derive('signing keys'), JSON.stringify({ ...jwk, kid })) };
}

function decryptKey({ sealed }: SigningKey, secret: SecretKey): JWK {
  const text = unseal(secret.derive('signing keys'), sealed);
  if (text !== undefined) return JSON.parse(text) as JWK;
  throw new UsageError(
    'SECRET_KEY (or the file secret.key beside the database) cannot decrypt the signing keys in the database. Use the key that this database was created with.',
  );
}
