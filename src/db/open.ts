import { sqliteFileOf } from '#platform/setting.ts';
import { type KeyedHash, withoutKey, type Db } from './db.ts';

export interface DbOptions {
  keyedHash?: KeyedHash;
  /** Whether SQLite enforces foreign keys (default true); a database that is being loaded does not need them. */
  foreignKeys?: boolean;
  /**
   * How long PostgreSQL may leave its connections without any answer before their work fails as `Unavailable`. A statement may
   * run longer. The default is for work of hours, which should survive a short interruption of the network.
   */
  timeoutMs?: number;
}

const LONG_TIMEOUT_MS = 60_000;

/** Opens a database: `postgres://…`, or the path or the `file:` or `sqlite:` URL of a SQLite file. */
export async function openDb(
  url: string,
  { keyedHash = withoutKey, foreignKeys = true, timeoutMs = LONG_TIMEOUT_MS }: DbOptions = {},
): Promise<Db> {
  const file = sqliteFileOf(url);
  if (file === undefined) return (await import('./postgres/postgres.ts')).openPostgres(url, keyedHash, timeoutMs);
  return (await import('./sqlite/sqlite.ts')).openSqlite(file, keyedHash, foreignKeys);
}
