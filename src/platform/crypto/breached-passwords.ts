import { hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The operator's list of breached passwords: a file of truncated hashes, 4 bytes a password instead of 45 bytes of text.
 *
 * | bytes | content |
 * | --- | --- |
 * | 32 | `MAGIC` |
 * | 4 × 65,537 | for each first two bytes of SHA-1 the number of hashes before them, and the number of all |
 * | 4 × passwords | bytes 3 to 6 of SHA-1, ascending among those with the same first two |
 *
 * 48 bits of the hash make the mistake of refusing another password one in 280,000 for a thousand million passwords. Numbers
 * are big-endian.
 */
export const MAGIC = Buffer.from('scorehall breached passwords 1\n\0');
export const PREFIXES = 65_536;
export const NUMBER_BYTES = 4;
export const HASHES_OFFSET = MAGIC.length + (PREFIXES + 1) * NUMBER_BYTES;

export const breachedPasswordsFile = (folder: string): string => join(folder, 'breached-passwords.bin');

/** SHA-1, because published lists have it; the password is no secret if the list has it, and is not stored if not. */
export const breachedPasswordHash = (password: string): Buffer =>
  Buffer.from(hash('sha1', password.normalize('NFC'), 'base64'), 'base64');

/**
 * Looks a password up with two reads. Each look-up opens the file, so a new list counts at once.
 * @param folder the data folder; without a list there no password is breached
 * @throws Error if the file cannot be read or is no list
 */
export async function isBreached(folder: string, password: string): Promise<boolean> {
  const sha1 = breachedPasswordHash(password);
  const prefix = sha1.readUInt16BE(0);
  const found = await withList(folder, async (file) => {
    const range = await read(file, MAGIC.length + prefix * NUMBER_BYTES, 2 * NUMBER_BYTES);
    const [from, to] = [range.readUInt32BE(0), range.readUInt32BE(NUMBER_BYTES)];
    const hashes = await read(file, HASHES_OFFSET + from * NUMBER_BYTES, Math.max(0, to - from) * NUMBER_BYTES);
    const wanted = sha1.subarray(2, 2 + NUMBER_BYTES);
    for (let at = hashes.indexOf(wanted); at !== -1; at = hashes.indexOf(wanted, at + 1))
      if (at % NUMBER_BYTES === 0) return true;
    return false;
  });
  return found ?? false;
}

/** How many passwords the list has; undefined if there is none. */
export async function countBreached(folder: string): Promise<number | undefined> {
  return await withList(folder, async (file) => {
    const count = (await read(file, HASHES_OFFSET - NUMBER_BYTES, NUMBER_BYTES)).readUInt32BE(0);
    const expected = HASHES_OFFSET + count * NUMBER_BYTES;
    const magic = await read(file, 0, MAGIC.length);
    if (!magic.equals(MAGIC) || (await file.stat()).size !== expected) throw new Error('it is damaged');
    return count;
  });
}

async function withList<T>(folder: string, work: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  let file: FileHandle;
  try {
    file = await open(breachedPasswordsFile(folder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  if (bytesRead !== length) throw new Error('the list of breached passwords is damaged');
  return buffer;
}
