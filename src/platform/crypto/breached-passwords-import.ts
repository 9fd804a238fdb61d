import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
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

/** Of a list of plain passwords: their hashes are sorted in memory. */
const MAX_TEXTS = 10_000_000;
const TOO_MANY_TEXTS = 'A list of plain text may have ten million passwords. Take a sorted list of SHA-1 hashes.';
/** Six bytes of SHA-1: the prefix of two and the stored four. */
const HASH_BYTES = 6;
const BUFFER_BYTES = 65_536;
const HASH_LINE = /^[0-9a-f]{40}(:\d+)?$/i;
const NTLM_LINE = /^[0-9a-f]{32}(:\d+)?$/i;
const RANGE_LINE = /^[0-9a-f]{35}:\d+$/i;
const NEW_LINE = 10;
/** No line of a list is longer; a file of another kind must not fill the memory. */
const MAX_LINE = 65_536;

export interface ImportedList {
  passwords: number;
  /** Lines of a text that no rule of length accepts anyway. */
  left_out: number;
  bytes: number;
}

/**
 * Writes the list of breached passwords from lines of SHA-1 hashes (`HASH:COUNT`, as Pwned Passwords has them), which must be
 * sorted, or of plain passwords in any order. It replaces the former list when it is complete.
 * @param read is called with the number of bytes read so far
 */
export async function importBreachedPasswords(
  input: AsyncIterable<Buffer>,
  folder: string,
  read: (bytes: number) => void = () => undefined,
): Promise<ImportedList> {
  const file = breachedPasswordsFile(folder);
  const written = `${file}.import`;
  // What an interrupted import has left.
  await rm(written, { recursive: true, force: true });
  try {
    using list = new ListWriter(written);
    const left_out = await readInto(list, input, read);
    const passwords = list.finish();
    if (passwords === 0) throw new UsageError(`The list has no password of ${MIN_PASSWORD} characters or more.`);
    await rename(written, file);
    return { passwords, left_out, bytes: HASHES_OFFSET + passwords * NUMBER_BYTES };
  } finally {
    await rm(written, { force: true });
  }
}

/** @returns the number of lines that were left out */
async function readInto(
  list: ListWriter,
  input: AsyncIterable<Buffer>,
  read: (bytes: number) => void,
): Promise<number> {
  // Takes only the memory that is written to.
  const texts = new Float64Array(MAX_TEXTS);
  let [number, count] = [0, 0];
  let isText: boolean | undefined;
  for await (const lines of linesIn(input, read)) {
    isText ??= isTextLike(lines[0]!);
    for (const line of lines) {
      number++;
      if (!isText) addHash(list, line, number);
      else if (line.length >= MIN_PASSWORD && line.length <= MAX_PASSWORD) {
        if (count === MAX_TEXTS) throw new UsageError(TOO_MANY_TEXTS);
        texts[count++] = breachedPasswordHash(line).readUIntBE(0, HASH_BYTES);
      }
    }
  }
  for (const hash of texts.subarray(0, count).sort()) list.add(hash);
  return isText === true ? number - count : 0;
}

/** The lines of each chunk, without their ends. */
async function* linesIn(input: AsyncIterable<Buffer>, read: (bytes: number) => void): AsyncGenerator<string[]> {
  let [rest, total]: [Buffer, number] = [Buffer.alloc(0), 0];
  for await (const bytes of input) {
    read((total += bytes.length));
    const chunk = Buffer.concat([rest, bytes]);
    const end = chunk.lastIndexOf(NEW_LINE);
    rest = chunk.subarray(end + 1);
    if (rest.length > MAX_LINE)
      throw new UsageError('This is no list of passwords: a line has more than 65,536 bytes.');
    if (end !== -1)
      yield chunk
        .toString('utf8', 0, end + 1)
        .split(/\r?\n/)
        .slice(0, -1);
  }
  if (rest.length > 0) yield [rest.toString().replace(/\r$/, '')];
}

/** Whether the first line of a list is a plain password. @throws UsageError for hashes of other kinds */
function isTextLike(first: string): boolean {
  if (NTLM_LINE.test(first))
    throw new UsageError('These are NTLM hashes. Take the SHA-1 version of the list: its lines begin with 40 digits.');
  if (RANGE_LINE.test(first))
    throw new UsageError('This is one of the files by hash prefix. Download the list as a single file.');
  return !HASH_LINE.test(first);
}

function addHash(list: ListWriter, line: string, number: number): void {
  if (line === '') return;
  if (!HASH_LINE.test(line))
    throw new UsageError(
      `Line ${number} is no SHA-1 hash like that of the first line (HASH:COUNT, 40 hexadecimal digits).`,
    );
  if (list.add(Number.parseInt(line.slice(0, 2 * HASH_BYTES), 16))) return;
  const command = 'LC_ALL=C sort -f FILE | scorehall passwords import -';
  throw new UsageError(`The hashes are not sorted: line ${number} is lower than the one before. Sort them: ${command}`);
}

/** Writes a list from ascending hashes. */
class ListWriter implements Disposable {
  readonly #file: number;
  readonly #index = Buffer.alloc((PREFIXES + 1) * NUMBER_BYTES);
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #buffered = 0;
  /** The first two bytes whose place in the index is not known yet. */
  #prefix = 0;
  #last = -1;
  #count = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'wx', 0o644);
    writeAll(this.#file, MAGIC);
    writeAll(this.#file, this.#index);
  }

  /** Adds a hash unless it is the same as the last one. @returns false if it is lower */
  add(hash: number): boolean {
    if (hash <= this.#last) return hash === this.#last;
    this.#last = hash;
    this.#indexTo(Math.floor(hash / 2 ** 32));
    this.#buffer.writeUInt32BE(hash % 2 ** 32, this.#buffered);
    this.#buffered += NUMBER_BYTES;
    this.#count++;
    if (this.#buffered === BUFFER_BYTES) this.#flush();
    return true;
  }

  /** @returns the number of different hashes */
  finish(): number {
    this.#flush();
    this.#indexTo(PREFIXES);
    writeAll(this.#file, this.#index, MAGIC.length);
    fsyncSync(this.#file);
    return this.#count;
  }

  #indexTo(prefix: number): void {
    for (; this.#prefix <= prefix; this.#prefix++) this.#index.writeUInt32BE(this.#count, this.#prefix * NUMBER_BYTES);
  }

  #flush(): void {
    writeAll(this.#file, this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

/** A write may take only a part of the bytes. */
function writeAll(file: number, bytes: Uint8Array, position?: number): void {
  for (let done = 0; done < bytes.length;)
    done += writeSync(file, bytes, done, bytes.length - done, position === undefined ? undefined : position + done);
}
