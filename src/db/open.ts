import { sqliteFileOf } from '#platform/config/setting.ts';
import { type Db, type DbOptions, withoutKey } from './db.ts';

/** Opens a database: `postgres://…`, or the path or the `file:` or `sqlite:` URL of a SQLite file. */
export async function openDb(
  url: string,
  { keyedHash = withoutKey, foreignKeys = true, timeoutMs, prepared = true, sessionName }: DbOptions = {},
): Promise<Db> {
  const file = sqliteFileOf(url);
  if (file === undefined)
    return (await import('./postgres/postgres.ts')).openPostgres(url, { keyedHash, timeoutMs, prepared, sessionName });
  return (await import('./sqlite/sqlite.ts')).openSqlite(file, keyedHash, foreignKeys);
}

/**
 * Holds the lock of a process of the service (`sqlite/locks.ts`) while it runs; PostgreSQL needs none.
 * @returns undefined if another process excludes this one
 */
export async function lockService(url: string, isShared: boolean): Promise<Disposable | undefined> {
  const file = sqliteFileOf(url);
  if (file === undefined) return new DisposableStack();
  return (await import('./sqlite/locks.ts')).lockService(file, isShared);
}
