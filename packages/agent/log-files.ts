import { hash } from 'node:crypto';
import { constants, type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The first bytes of a log file, which identify it after it is renamed or compressed. */
export interface Beginning {
  length: number;
  hash: string;
}

export const MAX_BEGINNING = 4_096;
const CHUNK_BYTES = 256 * 1024;
const BUFFER_BYTES = 64 * 1024;
/** Bytes of an overlong line that are skipped before the position is stored. */
const PASSED_OVER_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;

/** A rotated log file: `2026-01-31-1.log.gz`. */
export interface Archive {
  path: string;
  /** The day on which the file was started. */
  date: string;
  written: number;
}

/** The rotated files of a folder, the oldest first. */
export async function listArchives(folder: string): Promise<Archive[]> {
  const names = await readdir(folder);
  const found = names.flatMap((name) => {
    const [, date, number] = /^(\d{4}-\d\d-\d\d)-(\d{1,9})\.log(\.gz)?$/.exec(name) ?? [];
    return date === undefined ? [] : [{ name, date, number: Number(number) }];
  });
  found.sort((a, b) => (a.date === b.date ? a.number - b.number : a.date < b.date ? -1 : 1));
  // Between the end of the compression and the removal of its source both files exist.
  const single = found.filter(({ name }) => !names.includes(`${name}.gz`));
  const archives: Archive[] = [];
  for (const { name, date } of single) {
    const path = join(folder, name);
    const written = await stat(path).catch(() => undefined);
    if (written?.isFile()) archives.push({ path, date, written: written.mtimeMs });
  }
  return archives;
}

export async function archiveBegins(archive: Archive, beginning: Beginning): Promise<boolean> {
  return (await beginningOfArchive(archive, beginning.length)).hash === beginning.hash;
}

/** The first bytes of an archive; as many as can be read if it is still being compressed. */
export async function beginningOfArchive({ path }: Archive, length = MAX_BEGINNING): Promise<Beginning> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of bytesOfArchive(path)) {
      parts.push(part);
      size += part.length;
      if (size >= length) break;
    }
  } catch (error) {
    if (!isIncomplete(error)) throw error;
  }
  return fingerprint(Buffer.concat(parts).subarray(0, length));
}

export async function beginningOfFile(handle: FileHandle, length = MAX_BEGINNING): Promise<Beginning> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
  return fingerprint(buffer.subarray(0, bytesRead));
}

const fingerprint = (bytes: Buffer): Beginning => ({ length: bytes.length, hash: hash('sha256', bytes, 'hex') });

/** Whether reading failed because the file is still being compressed or is truncated. */
export function isIncomplete(error: unknown): boolean {
  return /^(Z_BUF_ERROR|Z_DATA_ERROR|ENOENT)$/.test((error as NodeJS.ErrnoException).code ?? '');
}

export interface Lines {
  lines: { offset: number; text: string }[];
  /** The offset after the lines. */
  end: number;
  /** The number of overlong lines. One that is read in parts is counted with its first part. */
  tooLong: number;
}

/**
 * The complete lines from `offset` on, without lines of more than `maxLine` bytes. An overlong line without an end is
 * skipped as it is read, so that `end` may be within it. Therefore reading begins one byte before `offset`, and the
 * bytes before the first newline are the rest of such a line.
 */
export async function* linesOf(
  read: (offset: number) => AsyncIterable<Buffer>,
  offset: number,
  maxLine = 64 * 1024,
): AsyncGenerator<Lines> {
  const largest = Math.max(CHUNK_BYTES, maxLine);
  let isWithinLine = offset > 0;
  let at = Math.max(0, offset - 1);
  let reported = offset;
  let rest: Buffer = Buffer.alloc(0);
  for await (let part of read(at)) {
    if (isWithinLine) {
      const length = part.indexOf(NEWLINE) + 1 || part.length;
      isWithinLine = part[length - 1] !== NEWLINE;
      at += length;
      part = part.subarray(length);
      if (isWithinLine && at - reported >= PASSED_OVER_BYTES) yield passedOver((reported = at));
    }
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    if (rest.length < CHUNK_BYTES) continue;
    const chunk = split(rest, at, maxLine);
    isWithinLine = chunk.end === at && rest.length > largest;
    if (chunk.end === at && !isWithinLine) continue;
    reported = isWithinLine ? at + rest.length : chunk.end;
    rest = rest.subarray(reported - at);
    at = reported;
    yield { ...chunk, end: at, tooLong: chunk.tooLong + Number(isWithinLine) };
  }
  if (rest.indexOf(NEWLINE) >= 0) yield split(rest, at, maxLine);
  else if (isWithinLine && at > reported) yield passedOver(at);
}

const passedOver = (end: number): Lines => ({ lines: [], end, tooLong: 0 });

function split(bytes: Buffer, offset: number, maxLine: number): Lines {
  const lines: Lines['lines'] = [];
  let [begin, tooLong] = [0, 0];
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
    if (end - begin > maxLine) tooLong++;
    else lines.push({ offset: offset + begin, text: bytes.toString('utf8', begin, end) });
    begin = end + 1;
  }
  return { lines, end: offset + begin, tooLong };
}

/** Buffers are as small as the rest of the file, because most polls find few lines, and freed buffers stay resident. */
export async function* bytesOfFile(handle: FileHandle, offset: number): AsyncGenerator<Buffer> {
  for (;;) {
    const length = Math.min((await handle.stat()).size - offset, BUFFER_BYTES);
    if (length <= 0) return;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
    if (bytesRead === 0) return;
    offset += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The uncompressed bytes of an archive from `offset` on. */
export async function* bytesOfArchive(path: string, offset = 0): AsyncGenerator<Buffer> {
  const file = (await open(path, 'r')).createReadStream();
  const stream = path.endsWith('.gz') ? file.pipe(process.getBuiltinModule('node:zlib').createGunzip()) : file;
  if (stream !== file) file.once('error', (error) => stream.destroy(error));
  try {
    for await (const bytes of stream as AsyncIterable<Buffer>) {
      if (offset < bytes.length) yield bytes.subarray(offset);
      offset = Math.max(0, offset - bytes.length);
    }
  } finally {
    file.destroy();
  }
}

/**
 * Opens a file for reading; undefined if there is none. `O_NONBLOCK` (missing on Windows) keeps `open` from waiting for
 * the writer of a named pipe; it has no effect on files.
 * @throws if it is not a regular file
 */
export async function openIfPresent(path: string): Promise<FileHandle | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error(`${path} is not a regular file.`);
}
