import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Stretch } from '#platform/streams/turns.ts';
import { Unavailable, UsageError } from '#platform/errors.ts';
import {
  type Cell,
  type Db,
  type KeyedHash,
  type MigrationTx,
  type OlderServices,
  Outages,
  type Snapshot,
  type Transaction,
  type TransactionOptions,
  type Versions,
  withoutKey,
} from '../db.ts';
import { Connection, DURABLE, NOT_DURABLE, SORTS_IN_FILES, SORTS_IN_MEMORY, SqliteSnapshot } from './connection.ts';
import { createPrivately, lockService, opened, WriteTurns } from './locks.ts';
import { endAfterFailedSync, FilePlace, isFull, isOutage, recoverFailedSync } from './outage.ts';
import { isSelect, type Sql } from '../sql.ts';

/**
 * Opens a SQLite file with two connections: one that runs the write transactions one after another, and one that only
 * reads. Readers never see an open transaction, although it may span several turns of the event loop.
 */
export async function openSqlite(file: string, keyedHash: KeyedHash, foreignKeys: boolean): Promise<Db> {
  try {
    return await openFile(prepareFile(file), keyedHash, foreignKeys);
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    throw new UsageError(`The SQLite file ${file} cannot be opened: ${(error as Error).message}. See DATABASE_URL.`);
  }
}

/**
 * Creates the file, readable by its owner alone: it holds mail addresses and password hashes. SQLite gives its log the
 * same mode. Returns the path without links: a link that is changed later must not lead the log away from its database.
 */
function prepareFile(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  createPrivately(file);
  return realpathSync(file);
}

async function openFile(path: string, keyedHash: KeyedHash, foreignKeys: boolean): Promise<Db> {
  const writer = await opened(() => new Connection(path, 'writing', keyedHash));
  try {
    recoverFailedSync(path, writer.handle);
  } catch (error) {
    writer.handle.close();
    throw error;
  }
  if (!foreignKeys) writer.handle.exec('pragma foreign_keys = off');
  const reader = await opened(() => new Connection(path, 'reading', keyedHash));
  return new SqliteDb(path, writer, reader);
}

/** Opens a finished SQLite file, such as a backup, to read it; changes neither it nor its folder. */
export async function openSqliteFile(path: string): Promise<Snapshot> {
  return new SqliteSnapshot(path, withoutKey);
}

type DataVersionName = 'credentials' | 'matches' | 'database';

class SqliteDb implements Db {
  readonly dialect = 'sqlite';
  readonly withoutTimeout = (): Db => this;
  readonly connections = (): Partial<Record<string, number>> => ({});
  readonly othersWait = (): boolean => this.#turns.othersWait();
  readonly logBytes = (): number => statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  readonly remote = false;
  readonly keyedHash: KeyedHash;
  readonly #path: string;
  readonly #place: FilePlace;
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #turns: WriteTurns;
  readonly #dataVersion: StatementSync;
  readonly shortReads = this;
  readonly outages = new Outages();
  #dataVersions: StatementSync | undefined;
  #versions: Versions = {};
  #lastWrite: Promise<unknown> = Promise.resolve();
  readonly #stretch = new Stretch();

  constructor(path: string, writer: Connection, reader: Connection) {
    this.keyedHash = writer.keyedHash;
    this.#path = path;
    this.#place = new FilePlace(path);
    this.#writer = writer;
    this.#reader = reader;
    this.#turns = new WriteTurns(path, writer.handle);
    this.#dataVersion = reader.handle.prepare('pragma data_version');
    this.#dataVersion.setReturnArrays(true);
  }

  all<R>(query: Sql): Promise<R[]> {
    return isSelect(query) ? this.#reader.all<R>(query) : this.transaction((tx) => tx.all<R>(query));
  }

  get<R>(query: Sql): Promise<R | undefined> {
    return isSelect(query) ? this.#reader.get<R>(query) : this.transaction((tx) => tx.get<R>(query));
  }

  tuples(query: Sql): Promise<Cell[][]> {
    return isSelect(query) ? this.#reader.tuples(query) : this.transaction((tx) => tx.tuples(query));
  }

  tuple(query: Sql): Promise<Cell[] | undefined> {
    return isSelect(query) ? this.#reader.tuple(query) : this.transaction((tx) => tx.tuple(query));
  }

  /** The reader's `data_version` changes with each commit of any other connection, including the writer of this process. */
  versions(): Versions {
    const [version] = this.#dataVersion.get() as unknown as [number];
    if (version !== this.#versions.anything) this.#versions = this.#readVersions(version);
    return this.#versions;
  }

  /** `data_version` is read before the rows, so they can be newer than it, never older. */
  #readVersions(anything: number): Versions {
    this.#dataVersions ??= prepareDataVersions(this.#reader.handle);
    const rows = this.#dataVersions.all() as unknown as [name: DataVersionName, value: number][];
    const { matches, credentials, database: databaseId } = Object.fromEntries(rows) as Record<DataVersionName, number>;
    return { anything, matches, credentials, databaseId };
  }

  snapshot(): Promise<Snapshot> {
    return opened(() => new SqliteSnapshot(this.#path, this.keyedHash));
  }

  run(query: Sql): Promise<number> {
    return this.transaction((tx) => tx.run(query));
  }

  runAll(queries: readonly Sql[]): Promise<void> {
    return this.transaction((tx) => tx.runAll(queries));
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>, { durable = true }: TransactionOptions = {}): Promise<T> {
    return this.#inTurn(() => (durable ? this.#transact(work) : this.#transactWith(NOT_DURABLE, DURABLE, work)));
  }

  migrating(work: (tx: MigrationTx) => Promise<void>): Promise<void> {
    return this.#inTurn(() => this.#transactWith(SORTS_IN_FILES, SORTS_IN_MEMORY, () => work(this.#writer)));
  }

  untilMigrated(): Promise<void> {
    return Promise.resolve();
  }

  /** A process that holds the lock of the service began when its version had all migrations. */
  olderServices(): Promise<OlderServices> {
    const lock = lockService(this.#path, false);
    const names = lock === undefined ? [`a process with ${this.#path} open`] : [];
    return Promise.resolve({ names, [Symbol.dispose]: () => lock?.[Symbol.dispose]() });
  }

  async close(): Promise<void> {
    await this.#lastWrite;
    this.#reader.handle.close();
    this.#writer.handle.close();
    this.#turns.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #inTurn<T>(transact: () => Promise<T>): Promise<T> {
    const write = this.#lastWrite.then(async () => {
      await this.#stretch.giveTurn();
      return await transact();
    });
    this.#lastWrite = write.catch(() => undefined);
    return write;
  }

  /** The pragmas are the connection's; no other transaction of this process runs on it meanwhile. */
  async #transactWith<T>(during: string, after: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#writer.handle.exec(during);
    try {
      return await this.#transact(work);
    } finally {
      this.#writer.handle.exec(after);
    }
  }

  async #transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      await this.#turns.begin();
      this.#place.check();
      this.#writer.hasWritten = false;
      const result = await work(this.#writer);
      this.#writer.handle.exec('commit');
      if (this.#writer.hasWritten) this.outages.committed();
      return result;
    } catch (error) {
      endAfterFailedSync(this.#path, error);
      if (this.#writer.handle.isTransaction) this.#writer.handle.exec('rollback');
      const failure = isOutage(error) ? new Unavailable(error) : error;
      if (failure instanceof Unavailable) this.outages.failed({ isFull: isFull(error) });
      throw failure;
    }
  }
}

/** Called at the first use, because a migration creates the table. */
function prepareDataVersions(handle: DatabaseSync): StatementSync {
  const statement = handle.prepare('select name, value from data_versions');
  statement.setReturnArrays(true);
  return statement;
}
