import { mkdir, open, readdir, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from './folder-lock.ts';

/** Where in the queue something stands: a file and a byte in it. */
export interface Place {
  segment: number;
  offset: number;
}

export interface QueueChunk {
  lines: string[];
  /** Where the queue goes on behind the lines. */
  next: Place;
}

/**
 * A queue on disk: files of lines that are only ever appended to, and a file that says how far they are delivered. What
 * `append` has promised outlives the process and the power; files that are delivered are removed. A folder has one queue at a time.
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

  /** Keeps lines; settles when they are on disk. Calls of the same moment go there together. */
  append(lines: string[]): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(new Error('The queue is closed.'));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ lines, settle: resolve, fail: reject });
    this.#writing ??= this.#write();
    return promise;
  }

  /** The oldest lines that are not delivered, at least one where there is one. */
  async peek(mostLines: number, mostBytes: number): Promise<QueueChunk | undefined> {
    for (;;) {
      // Asked before reading: a file that another follows grows no more.
      const following = this.#segments.find((segment) => segment > this.#place.segment);
      const portion = await this.#read(mostLines, mostBytes);
      if (portion !== undefined) return portion;
      if (following === undefined) return undefined;
      await this.advance({ segment: following, offset: 0 });
    }
  }

  /** Says that everything before a place is delivered. */
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
    // Where nobody can tell what is delivered, all goes once more: what is known already changes nothing.
    this.#place = (await readPlace(this.#path('position'))) ?? { segment: this.#segments[0] ?? 0, offset: 0 };
    // What was appended last may be torn; what was promised is whole. The next file begins a line anew.
    const last = Math.max(this.#segments.at(-1) ?? -1, this.#place.segment);
    await this.#begin(last + 1);
  }

  /** Where this fails, the next append tries the same file again. */
  async #begin(segment: number): Promise<void> {
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
    if (this.#fileBytes >= this.#segmentBytes) await this.#begin(this.#segments.at(-1)! + 1);
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    try {
      // `write` may leave off after a part without an error; this goes on until all is written or the error shows.
      await this.#file!.appendFile(bytes);
      await this.#file!.datasync();
      this.#fileBytes += bytes.length;
    } catch (error) {
      await this.#cutBack();
      throw error;
    }
  }

  /** Takes away what a failed append has left. Where even that fails, the next one begins in a file of its own. */
  async #cutBack(): Promise<void> {
    await this.#file!.truncate(this.#fileBytes).catch(() => {
      this.#fileBytes = Infinity;
    });
  }

  async #read(mostLines: number, mostBytes: number): Promise<QueueChunk | undefined> {
    const { segment, offset } = this.#place;
    // What is being appended may yet be cut back.
    const end = segment === this.#segments.at(-1) ? this.#fileBytes : Infinity;
    const bytes = await readFrom(this.#segmentPath(segment), { offset, end }, mostBytes);
    const lines: string[] = [];
    let read = 0;
    for (let at = bytes.indexOf(10); at >= 0 && lines.length < mostLines; at = bytes.indexOf(10, read)) {
      lines.push(bytes.toString('utf8', read, at));
      read = at + 1;
    }
    if (lines.length > 0) return { lines, next: { segment, offset: offset + read } };
    // A line may be longer than what was asked for.
    return bytes.length === mostBytes ? await this.#read(1, mostBytes * 4) : undefined;
  }

  #segmentPath(segment: number): string {
    return this.#path(`${String(segment).padStart(10, '0')}.ndjson`);
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

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

async function readFrom(path: string, { offset, end }: { offset: number; end: number }, most: number): Promise<Buffer> {
  const size = Math.min(await sizeOf(path), end);
  if (size <= offset) return Buffer.alloc(0);
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(most, size - offset)), { position: offset });
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Nothing but that a file is not there may pass for an empty one: what is empty is gone past. */
async function sizeOf(path: string): Promise<number> {
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

/** A file that is new is there after a power cut only when its folder was synced. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
