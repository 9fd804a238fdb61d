import { realpathSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { InputError } from '../finding.ts';
import { reasonOf } from '../../text/file-problem.ts';
import { type SourceDatabase, type SourceRow, SourceUnavailable } from './source-database.ts';

/** How long SQLite waits for a lock of the program that writes the file. An import has nothing else to do meanwhile. */
const LOCK_TIMEOUT_MS = 5_000;
/** Primary result codes: BUSY, CANTOPEN and NOTADB. */
const BUSY = 5;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;

/** Opens a SQLite file of another program to read it, also while that program writes. */
export async function openSqliteSource(file: string, lockTimeoutMs = LOCK_TIMEOUT_MS): Promise<SourceDatabase> {
  const path = filePath(file);
  const handle = reading(path, () => {
    const opened = new DatabaseSync(path, { readOnly: true, timeout: lockTimeoutMs });
    // The file is opened at its first statement.
    opened.prepare('select count(*) from sqlite_schema').get();
    return opened;
  });
  return new SqliteSource(path, handle);
}

function filePath(file: string): string {
  try {
    if (statSync(file).isFile()) return realpathSync(file);
  } catch (error) {
    throw new InputError(`${file} ${reasonOf(error)}.`);
  }
  throw new InputError(`${file} is not a file.`);
}

class SqliteSource implements SourceDatabase {
  readonly dialect = 'sqlite';
  readonly label: string;
  readonly #handle: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, handle: DatabaseSync) {
    this.label = path;
    this.#handle = handle;
  }

  async rows(text: string, values: readonly (string | number)[] = []): Promise<SourceRow[]> {
    return reading(this.label, () => this.#statement(text).all(...values));
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

function reading<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toRefusal(path, error);
  }
}

function toRefusal(path: string, error: unknown): unknown {
  const code = ((error as { errcode?: number }).errcode ?? 0) % 256;
  if (code === BUSY)
    return new SourceUnavailable(`${path} is locked by the program that writes it; import it again in a moment.`);
  if (code === NOT_A_DATABASE) return new InputError(`${path} is not a SQLite file, or it is encrypted.`);
  if (code === CANNOT_OPEN)
    return new InputError(
      `${path} cannot be opened; this user must be able to read it and, for its -wal and -shm, to write beside it.`,
    );
  return code === 0 ? error : new InputError(`${path} cannot be read: ${(error as Error).message}.`);
}
