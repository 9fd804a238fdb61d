import { existsSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { Unavailable } from '#platform/errors.ts';
import { CLOSED } from '../db.ts';
import { resultCode } from './locks.ts';

/** Primary result codes: READONLY, IOERR, FULL, CANTOPEN */
const OUTAGES: ReadonlySet<number> = new Set([8, 10, 13, 14]);
/** SQLITE_FULL */
const FULL = 13;
/** The code of an error that a trigger raises. */
const CONSTRAINT_TRIGGER = 1811;

/** Whether the disk failed (full, read-only or broken) or a move has closed the database, and not the statement. */
export function isOutage(error: unknown): boolean {
  const { errcode = 0, message = '' } = (error ?? {}) as { errcode?: number; message?: string };
  return OUTAGES.has(resultCode(error)) || (errcode === CONSTRAINT_TRIGGER && message === CLOSED);
}

export const isFull = (error: unknown): boolean => resultCode(error) === FULL;

/**
 * Notices that a file is no longer the one that was opened: somebody has moved, removed or replaced it. An open file can
 * still be written then, but the next start would not find what was committed.
 */
export class FilePlace {
  readonly #path: string;
  readonly #identity: string | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#identity = identityOf(path);
  }

  /** @throws Unavailable until the file is back */
  check(): void {
    if (identityOf(this.#path) === this.#identity) return;
    throw new Unavailable(
      new Error(`its file ${this.#path} was moved, removed or replaced: put it back, or restart the service`),
    );
  }
}

function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

/**
 * Ends and recovers a process whose disk could not sync the log (the WAL). The kernel reports that once and then counts
 * the lost pages as written, so later commits would succeed behind a hole in the log, at which SQLite stops reading after a
 * power cut. The process therefore ends, all its threads at once and before it acknowledges anything else; its supervisor
 * starts it again. SQLite then reads the log from the start up to the first frame with a wrong checksum, and a checkpoint writes that
 * into the database and empties the log before anything is written behind it.
 */

/** SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC */
const FAILED_SYNCS: ReadonlySet<unknown> = new Set([1034, 1290]);

/** A note for the next process that opens the database: the log must be emptied first. */
const notePath = (path: string): string => `${path}-failed-sync`;

const MESSAGE = (path: string): string =>
  `The disk could not sync the log of ${path}. The process ends, so that nothing is acknowledged that a power cut would ` +
  'lose. Check the disk, then start it again where no supervisor does.';

/** Ends the process if an error says that the disk could not sync the log. */
export function endAfterFailedSync(path: string, error: unknown): void {
  if (!FAILED_SYNCS.has((error as { errcode?: number } | undefined)?.errcode)) return;
  // No normal exit: closing the database would copy the log, with its hole, into it.
  try {
    writeFileSync(notePath(path), '', { mode: 0o600 });
    writeSync(2, `${JSON.stringify({ level: 60, time: new Date(), msg: MESSAGE(path) })}\n`);
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}

const OTHERS_TIMEOUT_MS = 15_000;

/**
 * Empties the log if a process ended after a failed sync.
 * @throws Error if the disk fails again, or if another process reads an old state for too long
 */
export function recoverFailedSync(path: string, writer: DatabaseSync): void {
  if (!existsSync(notePath(path))) return;
  writer.exec(`pragma busy_timeout = ${OTHERS_TIMEOUT_MS}`);
  const result = writer.prepare('pragma wal_checkpoint(truncate)').get();
  if (result!['busy'] !== 0) throw new Error('its log must be emptied after a failed sync, but other processes use it');
  writer.exec('pragma busy_timeout = 0');
  rmSync(notePath(path), { force: true });
}
