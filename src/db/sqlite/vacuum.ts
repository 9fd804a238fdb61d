import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { TemporaryError } from '#platform/errors.ts';
import { withoutKey } from '../db.ts';
import { Connection, SORTS_IN_FILES } from './connection.ts';
import { opened, WriteTurns } from './locks.ts';
import { isFull } from './outage.ts';

/** How long readers of the former pages are waited for. */
const READERS_MS = 15_000;
const PAUSE_MS = 20;

/**
 * Rewrites a SQLite file while other connections use it: readers continue, writers wait. Afterwards neither the file nor its
 * log has anything of rows that were deleted before, not even in unused parts of pages.
 * @returns the sizes of the file in bytes
 * @throws TemporaryError if the disk has no room for two more copies of the file, or the former pages are still being read
 */
export async function vacuum(path: string): Promise<{ before: number; after: number }> {
  const { handle } = await opened(() => new Connection(path, 'writing', withoutKey));
  const turns = new WriteTurns(path, handle);
  try {
    const before = statSync(path).size;
    handle.exec(SORTS_IN_FILES);
    await turns.begin('vacuum').catch((error: unknown) => {
      throw isFull(error) ? new TemporaryError(NO_ROOM) : error;
    });
    for (const end = performance.now() + READERS_MS; !isLogEmptied(handle); await pause(PAUSE_MS))
      if (performance.now() > end) throw new TemporaryError(STILL_READ);
    return { before, after: statSync(path).size };
  } finally {
    turns.close();
    handle.close();
  }
}

/** Moves the log into the file, unless others read former pages. */
const isLogEmptied = (handle: Connection['handle']): boolean =>
  (handle.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number }).busy === 0;

const NO_ROOM =
  'The disk is full, and nothing has changed. This needs the size of the file twice: in SQLITE_TMPDIR or /var/tmp, and beside the file.';
const STILL_READ =
  'The file is rewritten, but its log has the former pages, which a backup or another long command reads. Run this again when that has ended.';
