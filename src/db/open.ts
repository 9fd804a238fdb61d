import { type KeyedHash, withoutKey, type Db } from './db.ts';

export interface DbOptions {
  keyedHash?: KeyedHash;
}

/** Opens a database: `postgres://…`, or the path or the `file:` or `sqlite:` URL of a SQLite file. */
export async function openDb(url: string, { keyedHash = withoutKey }: DbOptions = {}): Promise<Db> {
  if (/^postgres(ql)?:/.test(url)) return (await import('./postgres/postgres.ts')).openPostgres(url, keyedHash);
  return (await import('./sqlite/sqlite.ts')).openSqlite(sqliteFileOf(url)!, keyedHash);
}

/** The path of a SQLite file; undefined for PostgreSQL. */
export function sqliteFileOf(url: string): string | undefined {
  return /^postgres(ql)?:/.test(url) ? undefined : url.replace(/^(sqlite|file):(\/\/)?/, '');
}
