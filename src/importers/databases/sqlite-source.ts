import { realpathSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { UsageError } from '#platform/errors.ts';
import { resultCode, retryWhileLocked, SQLITE_BUSY } from '#db/sqlite/locks.ts';
import { reasonOf } from '../read-file.ts';
import { type SourceDatabase, type SourceRow, SourceUnavailable } from './source-database.ts';

const LOCK_TIMEOUT_MS = 5_000;
const PAUSE_MS = 50;
/** Primary result codes: CANTOPEN and NOTADB. */
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;

/** Opens a SQLite file of another program to read it, also while that program writes. */
export async function openSqliteSource(file: string, lockTimeoutMs = LOCK_TIMEOUT_MS): Promise<SourceDatabase> {
  const path = filePath(file);
  const handle = await reading(path, lockTimeoutMs, () => {
    const opened = new DatabaseSync(path, { readOnly: true, timeout: 0 });
    // The file is opened at its first statement.
    opened.prepare('select count(*) from sqlite_schema').get();
    return opened;
  });
  return new SqliteSource(path, handle, lockTimeoutMs);
}

function filePath(file: string): string {
  try {
    if (statSync(file).isFile()) return realpathSync(file);
  } catch (error) {
    throw new UsageError(`${file} ${reasonOf(error)}.`);
  }
  throw new UsageError(`${file} is not a file.`);
}

class SqliteSource implements SourceDatabase {
  readonly dialect = 'sqlite';
  readonly label: string;
  readonly #handle: DatabaseSync;
  readonly #lockTimeoutMs: number;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, handle: DatabaseSync, lockTimeoutMs: number) {
    this.label = path;
    this.#handle = handle;
    this.#lockTimeoutMs = lockTimeoutMs;
  }

  async rows(text: string, values: readonly (string | number)[] = []): Promise<SourceRow[]> {
    return await reading(this.label, this.#lockTimeoutMs, () => this.#statement(text).all(...values));
  }

  #statement(text: string): StatementSync {
    const cached = this.#statements.get(text);
    if (cached !== undefined) return cached;
    const statement = this.#handle.prepare(text);
    statement.setReadBigInts(true);
    this.#statements.set(text, statement);
    return statement;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#handle.close();
  }
}

async function reading<T>(path: string, lockTimeoutMs: number, work: () => T): Promise<T> {
  try {
    return await retryWhileLocked(work, lockTimeoutMs, () => PAUSE_MS);
  } catch (error) {
    throw toRefusal(path, error);
  }
}

function toRefusal(path: string, error: unknown): unknown {
  const code = resultCode(error);
  if (code === SQLITE_BUSY)
    return new SourceUnavailable(`${path} is locked by the program that writes it; import it again in a moment.`);
  if (code === NOT_A_DATABASE) return new UsageError(`${path} is not a SQLite file, or it is encrypted.`);
  if (code === CANNOT_OPEN)
    return new UsageError(
      `${path} cannot be opened; this user must be able to read it and, for its -wal and -shm, to write beside it.`,
    );
  return code === 0 ? error : new UsageError(`${path} cannot be read: ${(error as Error).message}.`);
}
