import { statSync } from 'node:fs';
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

/** Whether the disk had no space. */
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
