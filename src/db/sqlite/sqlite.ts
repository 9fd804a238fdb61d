import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '#platform/errors.ts';
import {
  type Cell,
  type Db,
  type KeyedHash,
  type MigrationTx,
  type Queryable,
  type Reads,
  safeNumber,
  type Snapshot,
  type Versions,
} from '../db.ts';
import { reads, type Sql, textOf, type Value } from '../sql.ts';

/** The low byte of a result code; the rest says why. */
const SQLITE_BUSY = 5;
/** READONLY, IOERR, FULL, CANTOPEN */
const OUTAGES: ReadonlySet<number> = new Set([8, 10, 13, 14]);
const LOCK_TIMEOUT_MS = 15_000;
const CACHED_STATEMENTS = 500;

/**
 * Opens a SQLite file with two connections: one that writes, in turns, and one that only reads. A reader never sees a
 * transaction that is under way, although one may span several ticks of the event loop.
 */
export async function openSqlite(path: string, keyedHash: KeyedHash): Promise<Db> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const writer = await retryWhileLocked(() => new Connection(path, 'writing', keyedHash));
  const reader = await retryWhileLocked(() => new Connection(path, 'reading', keyedHash));
  return new SqliteDb(path, writer, reader);
}

/** `full` syncs the log at each commit: what is committed is on disk. */
const WRITING = 'pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 20000';

/** The reader holds the inner pages of a table of a million matches, which reads of far-apart rows evict from less. */
const CACHE_KB = { reading: 32_000, writing: 16_000 };

const statementTexts = new WeakMap<readonly string[], string>();
/** SQLite plans a statement anew whenever a value is bound that is a limit by itself: a third of what a list of 20 costs. */
const text = (query: Sql): string =>
  textOf(query, statementTexts, (_, before) => (/\blimit $/i.test(before) ? '?+0' : '?'));

class Connection implements MigrationTx {
  readonly remote = false;
  readonly handle: DatabaseSync;
  readonly keyedHash: KeyedHash;
  readonly #objects = new Map<string, StatementSync>();
  readonly #arrays = new Map<string, StatementSync>();

  constructor(path: string, purpose: 'reading' | 'writing', keyedHash: KeyedHash) {
    this.keyedHash = keyedHash;
    const readOnly = purpose === 'reading';
    this.handle = new DatabaseSync(path, { readOnly, timeout: readOnly ? 5000 : 0 });
    try {
      if (!readOnly) this.handle.exec(WRITING);
      this.handle.exec(
        `pragma foreign_keys = on; pragma temp_store = memory; pragma cache_size = -${CACHE_KB[purpose]}`,
      );
    } catch (error) {
      this.handle.close();
      throw error;
    }
  }

  // The driver's calls are synchronous; `async` turns what they throw into a rejection, as on PostgreSQL.
  async all<R>(query: Sql): Promise<R[]> {
    return this.read(query, 'all', false) as R[];
  }

  async get<R>(query: Sql): Promise<R | undefined> {
    return this.read(query, 'get', false) as R | undefined;
  }

  async tuples(query: Sql): Promise<Cell[][]> {
    return this.read(query, 'all', true) as Cell[][];
  }

  async tuple(query: Sql): Promise<Cell[] | undefined> {
    return this.read(query, 'get', true) as Cell[] | undefined;
  }

  async run(query: Sql): Promise<number> {
    return Number(this.#statement(query, false).run(...query.values).changes);
  }

  async runAll(queries: readonly Sql[]): Promise<void> {
    let strings: readonly string[] | undefined;
    let statement: StatementSync | undefined;
    for (const query of queries) {
      if (query.strings !== strings) [strings, statement] = [query.strings, this.#statement(query, false)];
      // Unlike `run`, it makes no object of what was changed; without `returning` there is nothing to get.
      statement!.get(...query.values);
    }
  }

  async script(statements: string): Promise<void> {
    this.handle.exec(sqliteScript(statements));
  }

  /** All rows or the first one, as objects or as arrays. */
  read(query: Sql, how: 'all' | 'get', arrays: boolean): unknown {
    const statement = this.#statement(query, arrays);
    try {
      return statement[how](...query.values);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_OUT_OF_RANGE' || !reads(query)) throw error;
      return readAgain(statement, how, query.values);
    }
  }

  #statement(query: Sql, arrays: boolean): StatementSync {
    const cache = arrays ? this.#arrays : this.#objects;
    const written = text(query);
    const known = cache.get(written);
    if (known !== undefined) return known;
    if (cache.size >= CACHED_STATEMENTS) cache.clear();
    const statement = this.handle.prepare(written);
    if (arrays) statement.setReturnArrays(true);
    cache.set(written, statement);
    return statement;
  }
}

/** The driver refuses numbers beyond 2^53: where there is one, the rows are read once more, and it is told as it can be. */
function readAgain(statement: StatementSync, how: 'all' | 'get', values: readonly Value[]): unknown {
  statement.setReadBigInts(true);
  try {
    return withNumbers(statement[how](...values));
  } finally {
    statement.setReadBigInts(false);
  }
}

class SqliteSnapshot extends Connection implements Snapshot {
  constructor(path: string, keyedHash: KeyedHash) {
    super(path, 'reading', keyedHash);
    this.handle.exec('begin');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.handle.close();
  }
}

type DataVersionName = 'credentials' | 'matches' | 'database';

class SqliteDb implements Db {
  readonly dialect = 'sqlite';
  readonly remote = false;
  readonly keyedHash: KeyedHash;
  readonly #path: string;
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #dataVersion: StatementSync;
  readonly readSync: Reads;
  readonly shortReads = this;
  #dataVersions: StatementSync | undefined;
  #versions: Versions = { anything: undefined, matches: undefined, credentials: undefined, origin: undefined };
  #turn: Promise<unknown> = Promise.resolve();

  constructor(path: string, writer: Connection, reader: Connection) {
    this.keyedHash = writer.keyedHash;
    this.#path = path;
    this.#writer = writer;
    this.#reader = reader;
    this.readSync = {
      tuples: (query) => reader.read(query, 'all', true) as Cell[][],
      tuple: (query) => reader.read(query, 'get', true) as Cell[] | undefined,
    };
    this.#dataVersion = reader.handle.prepare('pragma data_version');
    this.#dataVersion.setReturnArrays(true);
  }

  all<R>(query: Sql): Promise<R[]> {
    return reads(query) ? this.#reader.all<R>(query) : this.transaction((tx) => tx.all<R>(query));
  }

  get<R>(query: Sql): Promise<R | undefined> {
    return reads(query) ? this.#reader.get<R>(query) : this.transaction((tx) => tx.get<R>(query));
  }

  tuples(query: Sql): Promise<Cell[][]> {
    return reads(query) ? this.#reader.tuples(query) : this.transaction((tx) => tx.tuples(query));
  }

  tuple(query: Sql): Promise<Cell[] | undefined> {
    return reads(query) ? this.#reader.tuple(query) : this.transaction((tx) => tx.tuple(query));
  }

  /** The reader's data version moves with commits of every other connection, the writer of this process included. */
  versions(): Versions {
    const [version] = this.#dataVersion.get() as unknown as [number];
    if (version !== this.#versions.anything) this.#versions = this.#readVersions(version);
    return this.#versions;
  }

  /** The version is looked at before the epochs: they may be newer than it says, never older. */
  #readVersions(anything: number): Versions {
    this.#dataVersions ??= dataVersionsOf(this.#reader.handle);
    const rows = this.#dataVersions.all() as unknown as [name: DataVersionName, value: number][];
    const { matches, credentials, database: origin } = Object.fromEntries(rows) as Record<DataVersionName, number>;
    return { anything, matches, credentials, origin };
  }

  snapshot(): Promise<Snapshot> {
    return retryWhileLocked(() => new SqliteSnapshot(this.#path, this.keyedHash));
  }

  run(query: Sql): Promise<number> {
    return this.transaction((tx) => tx.run(query));
  }

  runAll(queries: readonly Sql[]): Promise<void> {
    return this.transaction((tx) => tx.runAll(queries));
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    const turn = this.#turn.then(() => this.#transact(work));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async migrating(work: (tx: MigrationTx) => Promise<void>): Promise<void> {
    await this.transaction(() => work(this.#writer));
  }

  async close(): Promise<void> {
    await this.#turn;
    this.#reader.handle.close();
    this.#writer.handle.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #transact<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    await retryWhileLocked(() => this.#writer.handle.exec('begin immediate'));
    try {
      const result = await work(this.#writer);
      this.#writer.handle.exec('commit');
      return result;
    } catch (error) {
      if (this.#writer.handle.isTransaction) this.#writer.handle.exec('rollback');
      throw isOutage(error) ? new Unavailable(error) : error;
    }
  }
}

/** Rows, or one, or nothing, with numbers in the place of big ones. */
function withNumbers(read: unknown): unknown {
  if (typeof read === 'bigint') return safeNumber(read);
  if (read === null || typeof read !== 'object' || read instanceof Uint8Array) return read;
  if (Array.isArray(read)) return read.map(withNumbers);
  return Object.fromEntries(Object.entries(read).map(([name, value]) => [name, withNumbers(value)]));
}

/** Tells a disk that is full, read-only or broken from a statement that is wrong. */
function isOutage(error: unknown): boolean {
  return OUTAGES.has(((error as { errcode?: number } | undefined)?.errcode ?? 0) % 256);
}

/** Prepared when it is first needed: the table comes with a migration. */
function dataVersionsOf(handle: DatabaseSync): StatementSync {
  const statement = handle.prepare('select name, value from data_versions');
  statement.setReturnArrays(true);
  return statement;
}

/** Does what needs a lock of the file. Another process may hold it: waiting must not hold up this one's readers. */
async function retryWhileLocked<T>(work: () => T): Promise<T> {
  const started = performance.now();
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (((error as { errcode?: number }).errcode ?? 0) % 256 !== SQLITE_BUSY) throw error;
      if (performance.now() - started > LOCK_TIMEOUT_MS) throw new Unavailable(error);
    }
    await pause(1 + Math.random() * 4);
  }
}

/** Migrations are written with PostgreSQL's types; SQLite's strict tables know fewer. */
function sqliteScript(statements: string): string {
  return statements
    .replace(/\/\*sqlite:(.*?)\*\//gs, '$1')
    .replace(/\bbigint\b/g, 'integer')
    .replace(/\bbytea\b/g, 'blob')
    .replace(/\bdouble precision\b/g, 'real');
}
