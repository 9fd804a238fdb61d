import { keyedHashOf, type SecretKey } from '#platform/crypto/secret-key.ts';
import { seal, unseal } from '#platform/crypto/seal.ts';
import type { Db, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { installationValue, saveInstallation } from '#db/transfer/closing.ts';

const FINGERPRINT = 'secret key';
const FORMER_HASH_KEYS = 'former hash keys';

/** Identifies a secret key without revealing it. */
export const secretFingerprint = (secret: SecretKey): string => keyedHashOf(secret)(FINGERPRINT);

/**
 * Whether this process has the secret key of the installation. The first call stores the fingerprint of its key. Under a
 * different key, link codes do not work, and players with a deleted account are not recognised when they play again.
 */
export async function secretKeyMatches(db: Db, secret: SecretKey): Promise<boolean> {
  const fingerprint = secretFingerprint(secret);
  const stored = await storedFingerprint(db);
  if (stored !== undefined) return stored === fingerprint;
  await db.run(sql`
    insert into installation (name, value) values (${FINGERPRINT}, ${fingerprint}) on conflict (name) do nothing`);
  return await secretKeyMatches(db, secret);
}

/** The fingerprint of the secret key that services on this database have used; undefined if none has run yet. */
export const storedFingerprint = (db: Queryable): Promise<string | undefined> => installationValue(db, FINGERPRINT);

export async function saveFingerprint(db: Queryable, secret: SecretKey): Promise<void> {
  await saveInstallation(db, { [FINGERPRINT]: secretFingerprint(secret) });
}

/**
 * The keys of the keyed hashes under earlier secret keys, oldest first. The UUIDs of erased players are known only by their
 * hashes, so a new secret key hashes the hash of the one before. Undefined if they are sealed under another key.
 */
export async function formerHashKeys(db: Queryable, secret: SecretKey): Promise<Buffer[] | undefined> {
  const sealed = await installationValue(db, FORMER_HASH_KEYS);
  if (sealed === undefined) return [];
  const text = unseal(secret.derive(FORMER_HASH_KEYS), sealed);
  return text === undefined ? undefined : (JSON.parse(text) as string[]).map((key) => Buffer.from(key, 'base64url'));
}

/** Whether the secret key has been changed before. */
export const hasFormerHashKeys = async (db: Queryable): Promise<boolean> =>
  (await installationValue(db, FORMER_HASH_KEYS)) !== undefined;

export async function saveFormerHashKeys(db: Queryable, secret: SecretKey, keys: readonly Buffer[]): Promise<void> {
  const text = JSON.stringify(keys.map((key) => key.toString('base64url')));
  await saveInstallation(db, { [FORMER_HASH_KEYS]: seal(secret.derive(FORMER_HASH_KEYS), text) });
}

export async function deleteFormerHashKeys(db: Queryable): Promise<void> {
  await db.run(sql`delete from installation where name = ${FORMER_HASH_KEYS}`);
}

/** Whether a database was used with another secret key than the one of this process. Unlike `secretKeyMatches` it stores nothing. */
export async function hasOtherSecretKey(db: Queryable, secret: SecretKey): Promise<boolean> {
  const stored = await storedFingerprint(db);
  return stored !== undefined && stored !== secretFingerprint(secret);
}
