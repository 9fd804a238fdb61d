import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { seal, unseal } from '#platform/crypto/seal.ts';
import type { SecretKey } from '#platform/crypto/secret-key.ts';
import { UsageError } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import {
  addFirstSigningKey,
  addSigningKey,
  deleteSigningKey,
  setSigningKeyCreated,
  type SigningKey,
  signingKeys,
} from '#store/accounts/signing-keys.ts';

/** A new key is published this long before it signs, so that clients with a cached key set have it by then. */
export const PUBLISHED_AHEAD_MS = 3_600_000;
/** A replaced key stays published this long: the longest ID token lifetime (a day, ACCESS_TOKEN_LIFETIME) and an hour. */
export const RETIRED_FOR_MS = 25 * 3_600_000;

/** The decrypted private keys that are published now, the signing key first. Creates the first key if there is none. */
export async function currentKeys(db: Db, secret: SecretKey, now: number): Promise<JWK[]> {
  let rows = await signingKeys(db);
  if (rows.length === 0) {
    await addFirstSigningKey(db, await newKey(secret, now));
    rows = await signingKeys(db);
  }
  return publishedKeys(rows, now).map((row) => decryptKey(row, secret));
}

/**
 * Adds a key that starts to sign after `PUBLISHED_AHEAD_MS`; the previous key stays published until its tokens expire.
 * @returns the new key's `kid`
 */
export async function rotateKeys(db: Db, secret: SecretKey, now: number): Promise<string> {
  await currentKeys(db, secret, now);
  const rows = await signingKeys(db);
  const key = await newKey(secret, Math.max(now, rows.at(-1)!.created + 1));
  await addSigningKey(db, key);
  return key.kid;
}

/**
 * Deletes a key, so that its tokens are refused. If it signs, the next newer key signs at once, or a new one: a retired key,
 * which somebody may have replaced for a reason, never signs again.
 * @returns the `kid` of the key that signs afterwards
 */
export async function withdrawKey(
  db: Db,
  secret: SecretKey,
  { kid, now }: { kid: string; now: number },
): Promise<string> {
  const spare = await newKey(secret, now);
  return await db.transaction(async (tx) => {
    const rows = await signingKeys(tx);
    const signing = publishedKeys(rows, now)[0]!;
    await deleteSigningKey(tx, kid);
    if (kid !== signing.kid) return signing.kid;
    // Older than PUBLISHED_AHEAD_MS, so that it signs; the withdrawn key is older still, and so are the retired ones.
    const created = Math.max(signing.created, now - PUBLISHED_AHEAD_MS);
    const next = rows[rows.indexOf(signing) + 1];
    if (next === undefined) await addSigningKey(tx, { ...spare, created });
    else await setSigningKeyCreated(tx, next.kid, Math.min(next.created, created));
    return next?.kid ?? spare.kid;
  });
}

/**
 * Selects the keys that are published at a time, the signing key first.
 * @param rows all keys, oldest first
 */
export function publishedKeys(rows: readonly SigningKey[], now: number): SigningKey[] {
  const signsFrom = rows.map(({ created }, index) => (index === 0 ? 0 : created + PUBLISHED_AHEAD_MS));
  const signing = signsFrom.findLastIndex((timestamp) => timestamp <= now);
  const others = rows.filter((_, index) => {
    const replaced = signsFrom[index + 1];
    return index !== signing && (index > signing || replaced! + RETIRED_FOR_MS > now);
  });
  return [rows[signing]!, ...others];
}

async function newKey(secret: SecretKey, created: number): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' };
  const kid = await calculateJwkThumbprint(jwk);
  return { kid, created, sealed: seal(secret.derive('signing keys'), JSON.stringify({ ...jwk, kid })) };
}

/** The texts of decrypted keys by what is stored, because each process reads the few keys every second. */
const decrypted = new WeakMap<SecretKey, Map<string, string>>();

function decryptKey({ sealed }: SigningKey, secret: SecretKey): JWK {
  const known = decrypted.get(secret) ?? new Map<string, string>();
  const text = known.get(sealed) ?? unseal(secret.derive('signing keys'), sealed);
  decrypted.set(secret, known);
  if (text !== undefined) {
    known.set(sealed, text);
    return JSON.parse(text) as JWK;
  }
  throw new UsageError(
    'SECRET_KEY (or the file secret.key beside the database) cannot decrypt the signing keys in the database. Use the key that this database was created with.',
  );
}
