import { mkdir, open, readdir, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from './folder-lock.ts';

/** A position in the queue: a segment file and a byte offset in it. */
export interface Place {
  segment: number;
  offset: number;
}

export interface QueueChunk {
  lines: string[];
  /** The position after the lines. */
  next: Place;
}

/**
 * A queue on disk: append-only segment files of lines, and the file `position` with the position of the first
 * undelivered line. Lines survive a crash and a power cut once `append` has resolved. Delivered segments are deleted.
 * The folder is locked while the queue is open.
 */
export class DiskQueue {
  readonly #folder: string;
  readonly #segmentBytes: number;
  #segments: number[] = [];
  #place: Place = { segment: 0, offset: 0 };
  #file: FileHandle | undefined;
  #fileBytes = 0;
  #waiting: { lines: string[]; settle: () => void; fail: (error: unknown) => void }[] = [];
  #writing: Promise<void> | undefined;
  readonly #unlock: () => Promise<void>;
  #closing: Promise<void> | undefined;

  private constructor(folder: string, segmentBytes: number, unlock: () => Promise<void>) {
    this.#folder = folder;
    this.#segmentBytes = segmentBytes;
    this.#unlock = unlock;
  }

  static async open(folder: string, segmentBytes = 8 * 1024 * 1024): Promise<DiskQueue> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const queue = new DiskQueue(folder, segmentBytes, await lockFolder(folder));
    try {
      await queue.#recover();
      return queue;
    } catch (error) {
      await queue.close();
      throw error;
    }
  }

  /** Appends lines and resolves when they are on disk. Concurrent calls share one write and one fsync. */
  append(lines: string[]): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(new Error('The queue is closed.'));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ lines, settle: resolve, fail: reject });
    this.#writing ??= this.#write();
    return promise;
  }

  /**
   * Returns the oldest undelivered lines, or undefined if there are none. A line longer than `maxBytes` is returned
   * alone.
   */
  async peek(maxLines: number, maxBytes: number): Promise<QueueChunk | undefined> {
    for (;;) {
      // Look for the next segment before reading: once it exists, this segment no longer grows.
      const nextSegment = this.#segments.find((segment) => segment > this.#place.segment);
      const chunk = await this.#read(maxLines, maxBytes);
      if (chunk !== undefined) return chunk;
      if (nextSegment === undefined) return undefined;
      await this.advance({ segment: nextSegment, offset: 0 });
    }
  }

  /** Records that all lines before a position are delivered, and deletes the segments before it. */
  async advance(place: Place): Promise<void> {
    const temporary = this.#path('position.new');
    await writeDurably(temporary, JSON.stringify(place));
    await rename(temporary, this.#path('position'));
    this.#place = place;
    const done = this.#segments.filter((segment) => segment < place.segment);
    this.#segments = this.#segments.filter((segment) => segment >= place.segment);
    for (const segment of done) await rm(this.#segmentPath(segment), { force: true });
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    try {
      await this.#writing;
      await this.#file?.close();
    } finally {
      await this.#unlock();
    }
  }

  async #recover(): Promise<void> {
    const names = await readdir(this.#folder);
    this.#segments = names.flatMap((name) => Number(/^(\d{10})\.ndjson$/.exec(name)?.[1] ?? [])).sort((a, b) => a - b);
    // Without a readable position all lines are sent again; the service answers `duplicate` for known events.
    this.#place = (await readPlace(this.#path('position'))) ?? { segment: this.#segments[0] ?? 0, offset: 0 };
    // A crash may have truncated the last line, whose `append` has not resolved. A new segment separates it from new
    // lines.
    const last = Math.max(this.#segments.at(-1) ?? -1, this.#place.segment);
    await this.#beginSegment(last + 1);
  }

  /** Starts a new segment. If this fails, the next append retries the same segment. */
  async #beginSegment(segment: number): Promise<void> {
    await this.#file?.close();
    this.#file = await open(this.#segmentPath(segment), 'a', 0o600);
    await syncFolder(this.#folder);
    this.#segments.push(segment);
    this.#fileBytes = 0;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      try {
        await this.#writeLines(group.flatMap(({ lines }) => lines));
        for (const { settle } of group) settle();
      } catch (error) {
        for (const { fail } of group) fail(error);
      }
    }
    this.#writing = undefined;
  }

  async #writeLines(lines: string[]): Promise<void> {
    if (this.#fileBytes >= this.#segmentBytes) await this.#beginSegment(this.#segments.at(-1)! + 1);
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    try {
      // `write` may write a part without an error; `appendFile` writes everything or fails.
      await this.#file!.appendFile(bytes);
      await this.#file!.datasync();
      this.#fileBytes += bytes.length;
    } catch (error) {
      await this.#undoAppend();
      throw error;
    }
  }

  /**
   * Truncates the segment to its length before a failed append. If that fails too, the next append starts a new one.
   */
  async #undoAppend(): Promise<void> {
    await this.#file!.truncate(this.#fileBytes).catch(() => {
      this.#fileBytes = Infinity;
    });
  }

  async #read(maxLines: number, maxBytes: number): Promise<QueueChunk | undefined> {
    const { segment, offset } = this.#place;
    // Bytes beyond `#fileBytes` belong to an append that is not complete and may be undone.
    const end = segment === this.#segments.at(-1) ? this.#fileBytes : Infinity;
    const bytes = await readFrom(this.#segmentPath(segment), { offset, end }, maxBytes);
    const lines: string[] = [];
    let read = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0 && lines.length < maxLines; end = bytes.indexOf(NEWLINE, read)) {
      lines.push(bytes.toString('utf8', read, end));
      read = end + 1;
    }
    if (lines.length > 0) return { lines, next: { segment, offset: offset + read } };
    // The first line is longer than `maxBytes`: read it alone.
    return bytes.length === maxBytes ? await this.#read(1, maxBytes * 4) : undefined;
  }

  #segmentPath(segment: number): string {
    return this.#path(`${String(segment).padStart(10, '0')}.ndjson`);
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

const NEWLINE = 10;

/** Returns undefined if the file is missing or damaged. */
async function readPlace(path: string): Promise<Place | undefined> {
  try {
    const { segment, offset } = JSON.parse(await readFile(path, 'utf8')) as Place;
    return [segment, offset].every((number) => Number.isSafeInteger(number) && number >= 0)
      ? { segment, offset }
      : undefined;
  } catch {
    return undefined;
  }
}

async function readFrom(
  path: string,
  { offset, end }: { offset: number; end: number },
  maxBytes: number,
): Promise<Buffer> {
  const size = Math.min(await fileSize(path), end);
  if (size <= offset) return Buffer.alloc(0);
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(maxBytes, size - offset)), {
      position: offset,
    });
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * A missing file counts as empty. Other errors are thrown, because the queue skips empty segments and must not skip
 * this one.
 */
async function fileSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Appends text to a file, and resolves when the text, and a file that this creates, survive a power cut. */
export async function appendDurably(folder: string, name: string, text: string): Promise<void> {
  const path = join(folder, name);
  const isNew = (await fileSize(path)) === 0;
  const file = await open(path, 'a', 0o600);
  try {
    await file.appendFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
  if (isNew) await syncFolder(folder);
}

/** Syncs a folder: without that, a power cut may lose a new file in it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
