import { systemClock } from '#platform/clock.ts';
import { type Config, environment, readConfig } from '#platform/config.ts';
import { existingSecret, secretKeyFile, secretKeyOf, writeSecretKeyFile } from '#platform/crypto/secret-key.ts';
import { UsageError } from '#platform/errors.ts';
import { openDb } from '#db/open.ts';
import { type Manifest, openBackup } from '#db/transfer/backup-file.ts';
import { restoreBackup } from '#db/transfer/restore.ts';
import { recordAudit } from '#store/audit/audit.ts';
import { fingerprintOf } from '#store/installation.ts';
import { countReturned } from '#store/returned.ts';
import { singleFile, summaryOf } from './backup.ts';
import { type Command, commandActor, type Input, JSON_OPTION, print } from '#cli/command/command.ts';
import { progressLines } from './progress.ts';

export const commands: Command[] = [
  {
    words: 'restore',
    summary: 'Fill the empty database of DATABASE_URL from a backup, and say what came back with it',
    operands: 'FILE',
    options: { json: JSON_OPTION },
    run: restore,
  },
];

async function restore(input: Input): Promise<void> {
  const file = singleFile(input);
  const config = readConfig(environment());
  await using opened = await openBackup(file);
  const restoresKey = checkSecretKey(config, opened.manifest);
  await using db = await openDb(config.DATABASE_URL, { foreignKeys: false });
  await restoreBackup(opened, db, progressLines('restored'));
  if (restoresKey) writeSecretKeyFile(config, opened.manifest.secretKey!);
  const now = systemClock.now();
  const { created } = opened.manifest;
  await recordAudit(db, now, commandActor(), {
    action: 'database.restore',
    detail: { backup: new Date(created).toISOString() },
  });
  print(input, { ...summaryOf(file, opened.manifest), ...(await countReturned(db, now)) });
  process.stderr.write(warningOf(created));
}

/**
 * @returns whether the key of the backup has to be written to a file
 * @throws UsageError where the installation has no key, or another one than the backup
 */
function checkSecretKey(config: Config, { secretKey, secretKeyFingerprint }: Manifest): boolean {
  if (secretKeyFingerprint === null) return false;
  const own = existingSecret(config) ?? secretKey;
  if (own === null) {
    throw new UsageError(
      `The backup needs the secret key with fingerprint ${secretKeyFingerprint}, and there is none here. Set SECRET_KEY, ` +
        `or put its file at ${secretKeyFile(config)}.`,
    );
  }
  if (fingerprintOf(secretKeyOf(own)) !== secretKeyFingerprint) {
    throw new UsageError(
      `The secret key here is not that of the backup, which has fingerprint ${secretKeyFingerprint}. Set SECRET_KEY, or ` +
        `replace the file ${secretKeyFile(config)}.`,
    );
  }
  return existingSecret(config) === undefined;
}

const warningOf = (created: number): string =>
  `Everything is as it was at ${new Date(created).toISOString()}: tokens, keys and sessions that were revoked since then ` +
  `work again, and people who were erased since then are back. Revoke and erase them again before you open the service.\n`;
