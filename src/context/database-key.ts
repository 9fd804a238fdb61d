import type { Config } from '#platform/config/config.ts';
import { UsageError } from '#platform/errors.ts';
import { existingSecret, openSecretKey, secretKeyFile, secretKeyOf } from '#platform/crypto/secret-key.ts';
import type { Db } from '#db/db.ts';
import { secretFingerprint, secretKeyMatches, storedFingerprint } from '#store/installation/installation.ts';

/**
 * Checks that a used database keeps its secret key. With a new one it would lose the keys that sign ID tokens and no
 * longer recognise erased players.
 * @throws UsageError if the secret key is missing, or is not that of the database
 */
export async function refuseOtherSecretKey(db: Db, config: Config): Promise<void> {
  const fingerprint = await storedFingerprint(db);
  if (fingerprint === undefined) return;
  const secret = existingSecret(config);
  if (secret === undefined)
    throw new UsageError(
      `The secret key of this database (fingerprint ${fingerprint}) is missing: set SECRET_KEY, or put its file back at ` +
        `${secretKeyFile(config)}. If it is lost: \`scorehall secret-key reset\`.`,
    );
  if (secretFingerprint(secretKeyOf(secret)) !== fingerprint) throw await otherSecretKey(db, config);
}

/**
 * Binds the database to the secret key of this process, at the first start of a service.
 * @throws UsageError if another process has done so with another key
 */
export async function claimSecretKey(db: Db, config: Config): Promise<void> {
  if (!(await secretKeyMatches(db, openSecretKey(config)))) throw await otherSecretKey(db, config);
}

async function otherSecretKey(db: Db, config: Config): Promise<UsageError> {
  const place = config.SECRET_KEY === '' ? `the file ${secretKeyFile(config)}` : 'SECRET_KEY';
  return new UsageError(
    `The secret key in ${place} is not that of this database (fingerprint ${await storedFingerprint(db)}): put the right one ` +
      'back, or, if you have changed it, run `scorehall secret-key change --from OLD`, where OLD is a file with the former ' +
      'one; if the right one is lost, run `scorehall secret-key reset`.',
  );
}
