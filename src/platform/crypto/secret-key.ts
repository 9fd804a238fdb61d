import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, dataFolder } from '../config.ts';
import { UsageError } from '../errors.ts';

const FILE = 'secret.key';
const MIN_LENGTH = 32;

/** The secret that is not in the database: a copy of the database alone opens nothing that is sealed under it. */
export class SecretKey {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** A key of 256 bits for one purpose. */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#secret, 'scorehall', purpose, 32));
  }
}

/**
 * The secret that the settings name, or the file beside the database, which the first start writes.
 * @throws UsageError when it is too short to be one
 */
export function openSecretKey(config: Config): SecretKey {
  const secret = config.SECRET_KEY === '' ? secretOfFile(dataFolder(config)) : config.SECRET_KEY;
  if (secret.length >= MIN_LENGTH) return new SecretKey(secret);
  throw new UsageError(`SECRET_KEY must have at least ${MIN_LENGTH} characters, best from: openssl rand -base64 32`);
}

/** A keyed hash under the secret, which is read, or made, when it is first needed. */
export function keyedHashUnder(config: Config): (text: string) => string {
  let key: Buffer | undefined;
  return (text) => {
    key ??= openSecretKey(config).derive('keyed hashes');
    return createHmac('sha256', key).update(text).digest('base64url');
  };
}

/** Makes the file where there is none. It gets its name when it is whole, so that of several first starts all read one. */
function secretOfFile(folder: string): string {
  const file = join(folder, FILE);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) {
    const own = `${file}.${process.pid}`;
    writeFileSync(own, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
    try {
      linkSync(own, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      unlinkSync(own);
    }
  }
  return readFileSync(file, 'utf8').trim();
}
