import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, dataFolder } from '../config.ts';
import { UsageError } from '../errors.ts';

const FILE = 'secret.key';
const MIN_LENGTH = 32;

/** The secret of the installation. It is not in the database, so a copy of the database alone unseals nothing. */
export class SecretKey {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Derives a key of 256 bits for one purpose (HKDF). */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#secret, 'scorehall', purpose, 32));
  }
}

/**
 * Reads the secret from the setting SECRET_KEY, else from a file in the data folder, which the first start creates.
 * @throws UsageError when it has fewer than 32 characters
 */
export function openSecretKey(config: Config): SecretKey {
  const secret = config.SECRET_KEY === '' ? secretOfFile(dataFolder(config)) : config.SECRET_KEY;
  if (secret.length >= MIN_LENGTH) return new SecretKey(secret);
  throw new UsageError(
    `SECRET_KEY must have at least ${MIN_LENGTH} characters; openssl rand -base64 32 makes a good one`,
  );
}

/** HMAC-SHA-256 in base64url under the secret, which is read (or created) at the first call. */
export function keyedHashUnder(config: Config): (text: string) => string {
  let key: Buffer | undefined;
  return (text) => {
    key ??= openSecretKey(config).derive('keyed hashes');
    return createHmac('sha256', key).update(text).digest('base64url');
  };
}

/**
 * Reads the file, or creates it. A new file gets its final name by a hard link when it is complete: several processes
 * that start together for the first time all read the same secret.
 */
function secretOfFile(folder: string): string {
  const file = join(folder, FILE);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) {
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
    try {
      linkSync(temporary, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      unlinkSync(temporary);
    }
  }
  return readFileSync(file, 'utf8').trim();
}
