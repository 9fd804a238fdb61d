import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { seal, unseal } from '#platform/crypto/seal.ts';
import type { SecretKey } from '#platform/crypto/secret-key.ts';
import { UsageError } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import { addFirstSigningKey, addSigningKey, type SigningKey, signingKeys } from '#store/accounts/signing-keys.ts';

/** A new key is published so long before it signs, so that nobody meets a signature whose key is not yet to be had. */
export const PUBLISHED_AHEAD_MS = 3_600_000;
/** An ID token lives a day at most (ACCESS_TOKEN_LIFETIME); its key stays published for that long and a bit more. */
export const RETIRED_FOR_MS = 25 * 3_600_000;

/** The private keys of now: the one that signs stands first, the others are published with it. */
export async function currentKeys(db: Db, secret: SecretKey, now: number): Promise<JWK[]> {
  let rows = await signingKeys(db);
  if (rows.length === 0) {
    await addFirstSigningKey(db, await newKey(secret, now));
    rows = await signingKeys(db);
  }
  return inOrder(rows, now).map((row) => opened(row, secret));
}

/** Adds a key, which takes over after an hour; the one before stays published until its last token has expired. */
export async function rotateKeys(db: Db, secret: SecretKey, now: number): Promise<string> {
  await currentKeys(db, secret, now);
  const rows = await signingKeys(db);
  const key = await newKey(secret, Math.max(now, rows.at(-1)!.created + 1));
  await addSigningKey(db, key);
  return key.kid;
}

/** Which of the keys, the oldest first, are published at a moment; the one that signs is put first. */
export function inOrder(rows: readonly SigningKey[], now: number): SigningKey[] {
  const takesOver = rows.map(({ created }, place) => (place === 0 ? 0 : created + PUBLISHED_AHEAD_MS));
  const signing = takesOver.findLastIndex((timestamp) => timestamp <= now);
  const others = rows.filter((_, place) => {
    const replaced = takesOver[place + 1];
    return place !== signing && (place > signing || replaced! + RETIRED_FOR_MS > now);
  });
  return [rows[signing]!, ...others];
}

async function newKey(secret: SecretKey, created: number): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' };
  const kid = await calculateJwkThumbprint(jwk);
  return { kid, created, sealed: seal(secret.derive('signing keys'), JSON.stringify({ ...jwk, kid })) };
}

function opened({ sealed }: SigningKey, secret: SecretKey): JWK {
  const text = unseal(secret.derive('signing keys'), sealed);
  if (text !== undefined) return JSON.parse(text) as JWK;
  throw new UsageError(
    'SECRET_KEY (or the file secret.key beside the database) is not the one that sealed the keys in the database.',
  );
}
