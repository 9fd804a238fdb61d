import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import {
  breachedPasswordHash,
  breachedPasswordsFile,
  HASHES_OFFSET,
  MAGIC,
  NUMBER_BYTES,
  PREFIXES,
} from './breached-passwords.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from './passwords.ts';

/** Hashes are collected in this many files by their first byte, so that each can be sorted in memory. */
const PARTS = 256;
/** Six bytes of SHA-1: the prefix of two and the stored four. */
const HASH_BYTES = 6;
const PART_BUFFER = 10_922 * HASH_BYTES;
const HASH_LINE = /^[0-9a-f]{40}(:\d+)?\r?$/i;
const NTLM_LINE = /^[0-9a-f]{32}(:\d+)?\r?$/i;
const RANGE_LINE = /^[0-9a-f]{35}:\d+\r?$/i;
const NEW_LINE = 10;
const COLON = 58;
const RETURN = 13;
/** No line of a list is longer; a file of another kind must not fill the memory. */
const MAX_LINE = 65_536;

export interface ImportedList {
  passwords: number;
  /** Lines of a text that no rule of length accepts anyway. */
  left_out: number;
  bytes: number;
}

/**
 * Writes the list of breached passwords from lines of SHA-1 hashes (`HASH:COUNT`, as Pwned Passwords has them) or of plain
 * passwords, in any order. It replaces the former list when it is complete.
 * @param read is called with the number of bytes read so far
 */
export async function importBreachedPasswords(
  input: AsyncIterable<Buffer>,
  folder: string,
  read: (bytes: number) => void = () => undefined,
): Promise<ImportedList> {
  const file = breachedPasswordsFile(folder);
  const parts = `${file}.import`;
  // What an interrupted import has left.
  await rm(parts, { recursive: true, force: true });
  await mkdir(parts, { recursive: true });
  try {
    const { left_out } = await partition(input, parts, read);
    const written = join(parts, 'list');
    const passwords = sortInto(written, parts);
    if (passwords === 0) throw new UsageError(`The list has no password of ${MIN_PASSWORD} characters or more.`);
    await rename(written, file);
    return { passwords, left_out, bytes: HASHES_OFFSET + passwords * NUMBER_BYTES };
  } finally {
    await rm(parts, { recursive: true, force: true });
  }
}

const partFile = (folder: string, part: number): string => join(folder, String(part));

/** Files of hashes by their first byte. */
class Parts implements Disposable {
  readonly #files: number[];
  readonly #buffers = Array.from({ length: PARTS }, () => Buffer.allocUnsafe(PART_BUFFER));
  readonly #lengths = new Uint32Array(PARTS);

  constructor(folder: string) {
    this.#files = Array.from({ length: PARTS }, (_, part) => openSync(partFile(folder, part), 'wx', 0o600));
  }

  add(hash: Uint8Array): void {
    const part = hash[0]!;
    const length = this.#lengths[part]!;
    const buffer = this.#buffers[part]!;
    for (let byte = 0; byte < HASH_BYTES; byte++) buffer[length + byte] = hash[byte]!;
    this.#lengths[part] = length + HASH_BYTES;
    if (length + HASH_BYTES === PART_BUFFER) this.#flush(part);
  }

  #flush(part: number): void {
    writeAll(this.#files[part]!, this.#buffers[part]!.subarray(0, this.#lengths[part]));
    this.#lengths[part] = 0;
  }

  flush(): void {
    for (let part = 0; part < PARTS; part++) this.#flush(part);
  }

  [Symbol.dispose](): void {
    for (const file of this.#files) closeSync(file);
  }
}

async function partition(input: AsyncIterable<Buffer>, folder: string, read: (bytes: number) => void) {
  using parts = new Parts(folder);
  const counts = { left_out: 0 };
  let add: ((chunk: Buffer, from: number, to: number) => void) | undefined;
  let [rest, total]: [Buffer, number] = [Buffer.alloc(0), 0];
  for await (const bytes of input) {
    read((total += bytes.length));
    const chunk = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    let from = 0;
    for (let end = chunk.indexOf(NEW_LINE); end !== -1; end = chunk.indexOf(NEW_LINE, from)) {
      add ??= lineReader(chunk.toString('utf8', from, end), parts, counts);
      add(chunk, from, end);
      from = end + 1;
    }
    rest = chunk.subarray(from);
    if (rest.length > MAX_LINE)
      throw new UsageError('This is no list of passwords: a line has more than 65,536 bytes.');
  }
  if (rest.length > 0) (add ?? lineReader(rest.toString(), parts, counts))(rest, 0, rest.length);
  parts.flush();
  return counts;
}

/** How the lines are read, by the first one. */
function lineReader(first: string, parts: Parts, counts: { left_out: number }) {
  if (NTLM_LINE.test(first))
    throw new UsageError('These are NTLM hashes. Take the SHA-1 version of the list: its lines begin with 40 digits.');
  if (RANGE_LINE.test(first))
    throw new UsageError('This is one of the files by hash prefix. Download the list as a single file.');
  return HASH_LINE.test(first) ? hashReader(parts) : textReader(parts, counts);
}

const SHA1_DIGITS = 40;
/** The value of each hexadecimal digit by its code; 255 for all others. */
const DIGITS = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 255 : value;
});

/** Reads bytes instead of strings: a list has a thousand million lines. */
function hashReader(parts: Parts) {
  const hash = new Uint8Array(HASH_BYTES);
  let line = 0;
  return (chunk: Buffer, from: number, to: number): void => {
    line++;
    const after = to - from > SHA1_DIGITS ? chunk[from + SHA1_DIGITS] : RETURN;
    let isHash = to - from >= SHA1_DIGITS && (after === COLON || after === RETURN);
    for (let byte = 0; byte < HASH_BYTES; byte++) {
      const [high, low] = [DIGITS[chunk[from + 2 * byte]!]!, DIGITS[chunk[from + 2 * byte + 1]!]!];
      if (high > 15 || low > 15) isHash = false;
      hash[byte] = (high << 4) | low;
    }
    if (isHash) parts.add(hash);
    else if (to - from > 1)
      throw new UsageError(
        `Line ${line} is no SHA-1 hash like that of the first line (HASH:COUNT, 40 hexadecimal digits).`,
      );
  };
}

function textReader(parts: Parts, counts: { left_out: number }) {
  return (chunk: Buffer, from: number, to: number): void => {
    const password = chunk.toString('utf8', from, chunk[to - 1] === RETURN && to > from ? to - 1 : to);
    if (password.length < MIN_PASSWORD || password.length > MAX_PASSWORD) counts.left_out++;
    else parts.add(breachedPasswordHash(password));
  };
}

/** Writes the list from the parts. @returns the number of different hashes */
function sortInto(path: string, folder: string): number {
  const file = openSync(path, 'wx', 0o644);
  try {
    const index = Buffer.alloc((PREFIXES + 1) * NUMBER_BYTES);
    writeAll(file, MAGIC);
    writeAll(file, index);
    let count = 0;
    for (let part = 0; part < PARTS; part++) {
      const hashes = sorted(readFileSync(partFile(folder, part)));
      const stored = Buffer.allocUnsafe(hashes.length * NUMBER_BYTES);
      let at = 0;
      for (let prefix = part << 8; prefix < (part + 1) << 8; prefix++) {
        index.writeUInt32BE(count + at, prefix * NUMBER_BYTES);
        for (; at < hashes.length && Math.floor(hashes[at]! / 2 ** 32) === prefix; at++)
          stored.writeUInt32BE(hashes[at]! % 2 ** 32, at * NUMBER_BYTES);
      }
      count += at;
      writeAll(file, stored);
    }
    index.writeUInt32BE(count, PREFIXES * NUMBER_BYTES);
    writeAll(file, index, MAGIC.length);
    fsyncSync(file);
    return count;
  } finally {
    closeSync(file);
  }
}

/** The different hashes of a part, ascending. */
function sorted(bytes: Buffer): Float64Array {
  const hashes = new Float64Array(bytes.length / HASH_BYTES);
  for (let index = 0; index < hashes.length; index++) hashes[index] = bytes.readUIntBE(index * HASH_BYTES, HASH_BYTES);
  hashes.sort();
  return hashes.filter((hash, index) => index === 0 || hash !== hashes[index - 1]);
}

/** A write may take only a part of the bytes. */
function writeAll(file: number, bytes: Uint8Array, position?: number): void {
  for (let done = 0; done < bytes.length;)
    done += writeSync(file, bytes, done, bytes.length - done, position === undefined ? undefined : position + done);
}
