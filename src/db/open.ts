import { type KeyedHash, withoutKey, type Db } from './db.ts';

export interface DbOptions {
  keyedHash?: KeyedHash;
  /** Whether SQLite enforces foreign keys (default true); a database that is being loaded does not need them. */
  foreignKeys?: boolean;
}

/** Opens a database: `postgres://…`, or the path or the `file:` or `sqlite:` URL of a SQLite file. */
export async function openDb(url: string, { keyedHash = withoutKey, foreignKeys = true }: DbOptions = {}): Promise<Db> {
  if (/^postgres(ql)?:/.test(url)) return (await import('./postgres/postgres.ts')).openPostgres(url, keyedHash);
  return (await import('./sqlite/sqlite.ts')).openSqlite(sqliteFileOf(url)!, keyedHash, foreignKeys);
}

/** The path of a SQLite file; undefined for PostgreSQL. */
export function sqliteFileOf(url: string): string | undefined {
  return /^postgres(ql)?:/.test(url) ? undefined : url.replace(/^(sqlite|file):(\/\/)?/, '');
}

/** The path of the file that a database address other than PostgreSQL's names. */
export function sqlitePath(url: string): string {
  return url.replace(/^(sqlite|file):(\/\/)?/, '');
}
