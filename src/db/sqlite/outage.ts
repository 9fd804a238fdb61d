import { CLOSED } from '../closed.ts';
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
