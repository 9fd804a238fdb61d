import { randomUUID } from 'node:crypto';
import { type FileHandle, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  clockAt,
  clockOf,
  DayCounter,
  endingAt,
  following,
  isOtherZone,
  type LogTime,
  millisecondsOf,
} from './log-clock.ts';
import {
  type Archive,
  archiveBegins,
  type Beginning,
  beginningOfArchive,
  beginningOfFile,
  bytesOfArchive,
  bytesOfFile,
  isIncomplete,
  type Lines,
  linesOf,
  listArchives,
  MAX_BEGINNING,
  openIfPresent,
} from './log-files.ts';
import { type LogLine, parseLine } from './log-line.ts';

/** A position in the log, across rotations. */
export interface LogPosition {
  /** Identifies the file in the ids of events. It is stored before the first event of the file is sent. */
  file: string;
  beginning: Beginning;
  inode: number;
  offset: number;
  /** The modification time of the file when it was last read. */
  written: number;
  /** The time of the last line before the position, or of the first day of the file. */
  time?: LogTime;
}

export interface TimedLine {
  line: LogLine;
  offset: number;
  /** Epoch milliseconds. */
  time: number;
}

export interface LogChunk {
  lines: TimedLine[];
  /** The number of all lines, with those that are no log lines. */
  count: number;
  /** The position after the lines. */
  next: LogPosition;
}

/** Maximum time until a rotated file appears among the archives. */
const ARCHIVE_WAIT_MS = 60_000;
/** Two files may have the same first bytes up to this length. */
const MIN_BEGINNING = 1_024;

/** Reads `logs/latest.log` and, after a rotation, its archives. */
export class LogReader implements AsyncDisposable {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #onTrouble: (sentence: string) => void;
  /** latest.log at the position. An open file can be read to its end after it was renamed. */
  #handle: FileHandle | undefined;
  /** `LogPosition.file` of the open file. */
  #open = '';
  #missingSince: number | undefined;
  #zoneReported = false;
  /** The end of the archives, while the next latest.log is missing. */
  #waitingAt: LogPosition | undefined;

  constructor(folder: string, now: () => number, onTrouble: (sentence: string) => void) {
    this.#folder = folder;
    this.#now = now;
    this.#onTrouble = onTrouble;
  }

  /**
   * Yields the chunks written since the position. If the caller stops early or fails to store a chunk, the next call
   * reads again from the position that it is given.
   */
  async *read(position: LogPosition | undefined): AsyncGenerator<LogChunk> {
    // If storing the position failed, the caller may still be at an earlier file than the open one.
    if (position?.file !== this.#open) await this.#release();
    if (position !== undefined) {
      this.#open = position.file;
      this.#handle ??= await this.#reopen(position);
      if (this.#handle !== undefined) {
        for await (const chunk of this.#rest(this.#handle, position)) yield ({ next: position } = chunk);
        if (await this.#isLatest(this.#handle, position.offset)) return;
        await this.#release();
      }
      if (await this.#waitsForLatest(position)) return;
      const archives = await this.#archivesFrom(position);
      if (archives === undefined) return;
      for await (const chunk of readArchives(archives, position, this.#onTrouble, this.#now))
        yield ({ next: position } = chunk);
    }
    this.#waitingAt = position;
    const handle = await openIfPresent(this.#latest());
    if (handle === undefined) return;
    await this.#release();
    this.#handle = handle;
    const start = await beginLatest(handle);
    this.#open = start.file;
    yield { lines: [], count: 0, next: start };
    yield* this.#rest(handle, start);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#release();
  }

  #latest(): string {
    return join(this.#folder, 'latest.log');
  }

  async #release(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  /** Opens latest.log if it still is the file of the position. */
  async #reopen({ beginning, inode, offset }: LogPosition): Promise<FileHandle | undefined> {
    const handle = await openIfPresent(this.#latest());
    if (handle === undefined) return undefined;
    const { size, ino } = await handle.stat();
    const certain = ino === inode || beginning.length >= MIN_BEGINNING;
    if (size >= offset && certain && (await beginningOfFile(handle, beginning.length)).hash === beginning.hash)
      return handle;
    await handle.close();
    return undefined;
  }

  /** A stopped server may have no latest.log for days, so its archive is not decompressed at each call. */
  async #waitsForLatest({ file, offset }: LogPosition): Promise<boolean> {
    if (this.#waitingAt?.file !== file || this.#waitingAt.offset !== offset) return false;
    return (await stat(this.#latest()).catch(() => undefined)) === undefined;
  }

  async #isLatest(handle: FileHandle, offset: number): Promise<boolean> {
    const [own, latest] = [await handle.stat(), await stat(this.#latest()).catch(() => undefined)];
    // Between the two steps of a rotation latest.log is missing; the next call checks again.
    if (latest === undefined) return true;
    return latest.ino === own.ino && latest.dev === own.dev && latest.size >= offset;
  }

  async *#rest(handle: FileHandle, position: LogPosition): AsyncGenerator<LogChunk> {
    const { size, mtimeMs: written } = await handle.stat();
    if (size <= position.offset) return;
    // A clock that was ahead and then corrected leaves a file from the future.
    const mtimeMs = Math.min(written, this.#now());
    for await (const chunk of linesOf((offset) => bytesOfFile(handle, offset), position.offset)) {
      const atEnd = chunk.end >= size;
      const { lines, time } = await timed(chunk, position, atEnd ? { written: mtimeMs } : { handle, mtimeMs });
      if (atEnd && lines.length > 0 && lines.at(-1)!.offset === chunk.lines.at(-1)!.offset)
        this.#checkZone(time!, mtimeMs);
      position = { ...position, offset: chunk.end, written: mtimeMs, ...(time && { time }) };
      if (position.beginning.length < MAX_BEGINNING)
        position.beginning = await beginningOfFile(handle, Math.min(chunk.end, MAX_BEGINNING));
      yield { lines, count: chunk.lines.length, next: position };
    }
  }

  /** A line is written at the time in it, so the file and its last line have the same time. */
  #checkZone(time: LogTime, written: number): void {
    if (this.#zoneReported || !isOtherZone(time.seconds, written)) return;
    this.#zoneReported = true;
    this.#onTrouble(
      `The newest line of latest.log says ${clockOf(time)}, but the file was written at ${clockAt(written)} by the clock of ` +
        `the agent: if the game server is in another time zone, set TZ of the agent to that zone. Until then times are wrong.`,
    );
  }

  /** The archive of the position and the later ones; undefined if it has not appeared yet. */
  async #archivesFrom(position: LogPosition): Promise<Archive[] | undefined> {
    const archives = await listArchives(this.#folder);
    for (const [index, archive] of archives.entries()) {
      // Begins with the newest, the likeliest ones. No archive is older than the last read.
      if (archive.written < position.written - ARCHIVE_WAIT_MS || position.beginning.length === 0) continue;
      if (!(await archiveBegins(archive, position.beginning))) continue;
      this.#missingSince = undefined;
      return archives.slice(index);
    }
    this.#missingSince ??= this.#now();
    if (position.beginning.length > 0 && this.#now() - this.#missingSince < ARCHIVE_WAIT_MS) return undefined;
    if (position.beginning.length > 0)
      this.#onTrouble('The log was rotated, and the old file is not in logs/. Its last lines may be missing.');
    this.#missingSince = undefined;
    return archives.filter(({ written }) => written > position.written);
  }
}

async function* readArchives(
  archives: readonly Archive[],
  position: LogPosition,
  onTrouble: (sentence: string) => void,
  now: () => number,
): AsyncGenerator<LogChunk> {
  for (const archive of archives) {
    const continued = await archiveBegins(archive, position.beginning);
    if (!continued || position.beginning.length === 0) {
      position = await beginArchive(archive);
      yield { lines: [], count: 0, next: position };
    }
    try {
      for await (const chunk of linesOf((offset) => bytesOfArchive(archive.path, offset), position.offset)) {
        const { lines, time } = await timed(chunk, position);
        position = { ...position, offset: chunk.end, ...(time && { time }) };
        yield { lines, count: chunk.lines.length, next: position };
      }
    } catch (error) {
      if (!isIncomplete(error)) throw error;
      // The next call continues with an archive that is still being compressed.
      if (now() - archive.written < ARCHIVE_WAIT_MS) throw new Unfinished();
      onTrouble(`An archived log is damaged; its last lines are missing: ${archive.date}`);
    }
  }
}

/** An archive is still being written. */
export class Unfinished extends Error {}

async function beginLatest(handle: FileHandle): Promise<LogPosition> {
  const { ino, mtimeMs } = await handle.stat();
  const beginning = await beginningOfFile(handle);
  return { file: randomUUID(), beginning, inode: ino, offset: 0, written: mtimeMs };
}

async function beginArchive(archive: Archive): Promise<LogPosition> {
  const beginning = await beginningOfArchive(archive);
  const time = { date: archive.date, seconds: 0 };
  return { file: randomUUID(), beginning, inode: 0, offset: 0, written: archive.written, time };
}

/** The end of the file, or the file to read for it. */
type DatedBy = { written: number } | { handle: FileHandle; mtimeMs: number };

async function timed(
  chunk: Lines,
  { time, offset }: LogPosition,
  datedBy?: DatedBy,
): Promise<{ lines: TimedLine[]; time: LogTime | undefined }> {
  const parsed = chunk.lines.flatMap(({ offset, text }) => {
    const line = parseLine(text);
    return line === undefined ? [] : [{ line, offset }];
  });
  if (parsed.length === 0) return { lines: [], time };
  const seconds = parsed.map(({ line }) => line.seconds);
  const times =
    datedBy !== undefined && 'written' in datedBy
      ? endingAt(seconds, datedBy.written)
      : forwards(seconds, time ?? { date: await firstDate(datedBy!, offset), seconds: seconds[0]! });
  const limit = datedBy === undefined ? Infinity : 'written' in datedBy ? datedBy.written : datedBy.mtimeMs;
  let least = time === undefined ? 0 : millisecondsOf(time);
  const lines = parsed.map((one, index) => {
    // Times do not decrease when summer time ends, and do not exceed that of the file after a wrong clock was
    // corrected.
    least = Math.min(Math.max(least, millisecondsOf(times[index]!)), Math.max(limit, 0));
    return { ...one, time: Math.floor(least) };
  });
  return { lines, time: times.at(-1) };
}

function forwards(seconds: readonly number[], from: LogTime): LogTime[] {
  let time = from;
  return seconds.map((second) => (time = following(time, second)));
}

async function firstDate(datedBy: DatedBy, offset: number): Promise<string> {
  if (!('handle' in datedBy)) throw new Error('An archive is dated by its name.');
  const counter = new DayCounter();
  const { handle } = datedBy;
  for await (const { lines } of linesOf((at) => bytesOfFile(handle, at), offset)) {
    for (const { text } of lines) {
      const line = parseLine(text);
      if (line !== undefined) counter.add(line.seconds);
    }
  }
  return counter.firstDate(datedBy.mtimeMs);
}
