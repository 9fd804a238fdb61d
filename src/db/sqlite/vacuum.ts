import { realpathSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { TemporaryError } from '#platform/errors.ts';
import { withoutKey } from '../db.ts';
import { Connection, SORTS_IN_FILES } from './connection.ts';
import { opened, WriteTurns } from './locks.ts';
import { isFull } from './outage.ts';

/** How long readers are waited for that keep the log from being emptied. */
const READERS_MS = 15_000;
const PAUSE_MS = 20;

/**
 * Rewrites a SQLite file while other connections use it: readers continue, writers wait. Afterwards neither the file nor its
 * log has anything of rows that were deleted before, not even in unused parts of pages.
 * @returns the sizes of the file in bytes
 * @throws TemporaryError if a backup or another long command reads the file, or the disk has no room for two more copies
 */
export async function vacuum(file: string): Promise<{ before: number; after: number }> {
  const path = realpathSync(file);
  const { handle } = await opened(() => new Connection(path, 'writing', withoutKey));
  const turns = new WriteTurns(path, handle);
  try {
    if (!(await emptyLog(handle))) throw new TemporaryError(READ);
    const before = statSync(path).size;
    handle.exec(SORTS_IN_FILES);
    await turns.begin('vacuum').catch((error: unknown) => {
      throw isFull(error) ? new TemporaryError(NO_ROOM) : error;
    });
    if (!(await emptyLog(handle))) throw new TemporaryError(READ_AFTERWARDS);
    return { before, after: statSync(path).size };
  } finally {
    turns.close();
    handle.close();
  }
}

/** Moves the log into the file, which those prevent who read an earlier state. @returns whether it is empty */
async function emptyLog(handle: Connection['handle']): Promise<boolean> {
  const checkpoint = handle.prepare('pragma wal_checkpoint(truncate)');
  for (const end = performance.now() + READERS_MS; (checkpoint.get() as { busy: number }).busy !== 0;) {
    if (performance.now() > end) return false;
    await pause(PAUSE_MS);
  }
  return true;
}

const READ = 'A backup or another long command reads the file. Nothing has changed; run this again when it has ended.';
const READ_AFTERWARDS =
  'The rewritten pages are in the log, because a backup or another long command that has begun meanwhile reads the former ones. Run this again when it has ended.';
const NO_ROOM =
  'The disk is full, and nothing has changed. This needs the size of the file twice: in SQLITE_TMPDIR or /var/tmp, and beside the file.';
