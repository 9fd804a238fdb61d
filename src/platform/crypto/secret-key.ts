import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, dataFolder } from '../config/config.ts';
import { UsageError } from '../errors.ts';

const FILE = 'secret.key';
const MIN_LENGTH = 32;

/** The secret of the installation. It is not in the database, so that a copy of the database cannot be unsealed. */
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
  return secretKeyOf(config.SECRET_KEY === '' ? secretOfFile(dataFolder(config)) : config.SECRET_KEY);
}

/**
 * The secret as text, undefined if there is none yet; creates nothing.
 * @throws UsageError as `openSecretKey`
 */
export function existingSecret(config: Config): string | undefined {
  const file = secretKeyFile(config);
  if (config.SECRET_KEY === '' && !existsSync(file)) return undefined;
  const secret = config.SECRET_KEY === '' ? readFileSync(file, 'utf8').trim() : config.SECRET_KEY;
  secretKeyOf(secret);
  return secret;
}

/** The file of the secret when SECRET_KEY is empty. */
export const secretKeyFile = (config: Config): string => join(dataFolder(config), FILE);

/** @throws UsageError when the secret has fewer than 32 characters */
export function secretKeyOf(secret: string): SecretKey {
  if (secret.length >= MIN_LENGTH) return new SecretKey(secret);
  throw new UsageError(
    `SECRET_KEY must have at least ${MIN_LENGTH} characters; openssl rand -base64 32 makes a good one`,
  );
}

/** Writes the file of a restored secret. @throws UsageError if there is another one */
export function writeSecretKeyFile(config: Config, secret: string): void {
  const file = secretKeyFile(config);
  mkdirSync(dataFolder(config), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new UsageError(`The secret key cannot be written to ${file}: ${(error as Error).message}`);
  }
}

/** HMAC-SHA-256 in base64url under one secret. */
export function keyedHashOf(secret: SecretKey): (text: string) => string {
  const key = secret.derive(HASH_PURPOSE);
  return (text) => hmac(key, text);
}

/** The `purpose` of the derived key that `keyedHashOf` uses. */
export const HASH_PURPOSE = 'keyed hashes';

const hmac = (key: Buffer, text: string): string => createHmac('sha256', key).update(text).digest('base64url');

export interface InstallationHash {
  /** `keyedHashOf` under the secret of the installation, which is read (or created) at the first call. */
  keyedHash: (text: string) => string;
  /**
   * Sets the keys of earlier secrets, oldest first. A text is hashed with these before it is hashed with the present
   * key.
   */
  setFormerKeys: (keys: readonly Buffer[]) => void;
}

export function keyedHashUnder(config: Config): InstallationHash {
  let hashOf: ((text: string) => string) | undefined;
  let former: readonly Buffer[] = [];
  return {
    keyedHash: (text) => {
      hashOf ??= keyedHashOf(openSecretKey(config));
      return hashOf(former.reduce((hashed, key) => hmac(key, hashed), text));
    },
    setFormerKeys: (keys) => (former = keys),
  };
}

/**
 * Reads the file, or creates it. A new file gets its final name by a hard link when it is complete, so that processes
 * that start together for the first time read the same secret.
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
