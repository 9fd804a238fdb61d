import { chownSync, closeSync, existsSync, openSync, statSync } from 'node:fs';

/**
 * Creates an empty file if it does not exist; by default only its owner may read it. An existing one is not opened: closing
 * it would release the locks that SQLite holds on it in this process (POSIX locks belong to the process, not to the
 * descriptor).
 */
export function createPrivately(file: string, mode = 0o600): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', mode));
}

/** Creates an empty file with the mode and the owner of a database, as SQLite does, so that the service of another user can open it. */
export function createLike(database: string, file: string): void {
  if (existsSync(file)) return;
  const { mode, uid, gid } = statSync(database);
  createPrivately(file, mode & 0o777);
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
}
