import { type KeyedHash, withoutKey, type Db } from './db.ts';

export interface DbOptions {
  keyedHash?: KeyedHash;
}

/** Opens a database: `postgres://…`, or the path or the `file:` or `sqlite:` URL of a SQLite file. */
export async function openDb(url: string, { keyedHash = withoutKey }: DbOptions = {}): Promise<Db> {
  if (/^postgres(ql)?:/.test(url)) return (await import('./postgres/postgres.ts')).openPostgres(url, keyedHash);
  return (await import('./sqlite/sqlite.ts')).openSqlite(url.replace(/^(sqlite|file):(\/\/)?/, ''), keyedHash);
}
