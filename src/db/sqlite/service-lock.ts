import { realpathSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { resultCode, SQLITE_BUSY } from './locks.ts';
import { createLike } from './private-file.ts';

/**
 * Holds a lock for a process of the service while it runs: a shared one if the processes share their rate limits, otherwise an
 * exclusive one. It is a lock of an empty SQLite file next to the database; the system releases it when the process ends, also
 * after SIGKILL, so it is never stale.
 * @returns undefined if another process holds a lock that excludes this one
 */
export function lockService(file: string, isShared: boolean): Disposable | undefined {
  const path = realpathSync(file);
  createLike(path, `${path}-service`);
  const lock = new DatabaseSync(`${path}-service`, { timeout: 0 });
  try {
    lock.exec('pragma journal_mode = memory');
    // A transaction that has read keeps its shared lock.
    lock.exec(isShared ? 'begin; select count(*) from sqlite_schema' : 'begin exclusive');
    return { [Symbol.dispose]: () => lock.close() };
  } catch (error) {
    lock.close();
    if (resultCode(error) === SQLITE_BUSY) return undefined;
    throw error;
  }
}
