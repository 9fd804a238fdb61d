import { systemClock } from '#platform/clock.ts';
import { lists, type Sql, type Value } from './sql.ts';

export type Row = Record<string, string | number | null | Uint8Array>;
export type Cell = string | number | null | Uint8Array;

/** HMAC-SHA-256 in base64url under the secret of the installation, which is not in the database. */
export type KeyedHash = (text: string) => string;

/** Runs statements: the database itself, a transaction or a snapshot. */
export interface Queryable {
  /** Hashes values that could be guessed by trying all of them (short codes, UUIDs), to store and look them up. */
  readonly keyedHash: KeyedHash;
  /** Whether statements go to a server over a connection; then writing many rows in one statement is faster. */
  readonly remote: boolean;
  /** All rows of a `select` or of a writing statement with `returning`. */
  all<R = Row>(query: Sql): Promise<R[]>;
  /** The first row. */
  get<R = Row>(query: Sql): Promise<R | undefined>;
  /** All rows as arrays in the order of the columns, for hot paths where building objects costs measurable time. */
  tuples(query: Sql): Promise<Cell[][]>;
  /** The first row as an array. */
  tuple(query: Sql): Promise<Cell[] | undefined>;
  /** Runs a writing statement and returns the number of rows that it changed. */
  run(query: Sql): Promise<number>;
  /** Runs writing statements in order, pipelined if the driver supports it. */
  runAll(queries: readonly Sql[]): Promise<void>;
}

/**
 * A database, or an open transaction of it. What takes one is a whole by itself, and a part of the transaction of its caller:
 * a function that writes several rows therefore opens a transaction of what it is given.
 */
export interface Transactional extends Queryable {
  /**
   * Runs the work in one transaction; an open transaction runs it as a part of itself, which is undone if it fails. On PostgreSQL the work is run again
   * after a deadlock, so it must change nothing outside the transaction, and waits for none of another connection.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

/** An open transaction. A database is none, so that what takes one cannot be committed apart from the act of its caller. */
export interface Transaction extends Transactional {
  /** In the type alone. */
  readonly isOpen: true;
}

/** An unchanging state of the database while it is open. Allows only `select`. */
export type Snapshot = Queryable & AsyncDisposable;

/**
 * Data versions for caches. Each number changes when any process commits a change of its kind; a value cached under the
 * same number is still valid. Undefined if the database cannot report changes in time: then nothing may be cached.
 */
export interface Versions {
  /** Any commit. */
  anything?: number | undefined;
  /** An update or deletion of a match; new matches do not count. */
  matches?: number | undefined;
  /** An update or deletion of a token or application; new ones do not count. */
  credentials?: number | undefined;
  /** The random id of this database, which never changes. */
  databaseId?: number | undefined;
}

/** The last transactions of a database in one thread, by which `/readyz` and the metrics know whether it can be written. */
export class Outages {
  /** Epoch milliseconds of the last commit and of the last statement or transaction that failed as an outage; 0: none. */
  lastCommit = 0;
  lastFailure = 0;
  /** Of the last one that failed for lack of space; small writes may still succeed then. */
  lastFull = 0;
  /** Called at the first commit after a failure, with the duration of the outage as this thread has seen it. */
  onEnd: (outageMs: number) => void = () => undefined;
  #began: number | undefined;

  committed(): void {
    this.lastCommit = systemClock.now();
    if (this.#began === undefined) return;
    this.onEnd(this.lastCommit - this.#began);
    this.#began = undefined;
  }

  failed({ isFull }: { isFull: boolean }): void {
    this.lastFailure = systemClock.now();
    if (isFull) this.lastFull = this.lastFailure;
    this.#began ??= this.lastFailure;
  }
}

export interface Db extends Transactional, AsyncDisposable {
  readonly dialect: 'sqlite' | 'postgres';
  /**
   * For reads that stay short at any size of the database. On PostgreSQL they are pipelined on shared connections, where a
   * slow read would delay those behind it. Allows only `select`.
   */
  readonly shortReads: Queryable;
  readonly outages: Outages;
  /** The current data versions, without a round trip to a server. */
  versions(): Versions;
  /**
   * Opens a snapshot for many reads that belong together, on its own connection: it blocks neither writers nor other
   * readers. The first read fixes its state.
   */
  snapshot(): Promise<Snapshot>;
  /** Runs migrations in one transaction, under a lock against other processes. */
  migrating(work: (tx: MigrationTx) => Promise<void>): Promise<void>;
  /** Waits for the end of migrations that run on PostgreSQL, so that what is read afterwards includes them. */
  untilMigrated(): Promise<void>;
  /** The processes of the service on this database that know fewer migrations. */
  olderServices(known: number): Promise<OlderServices>;
  /** The connections of the pool by state, and the queries that wait for one; SQLite has no pool. */
  connections(): Partial<Record<'busy' | 'idle' | 'waiting', number>>;
  /**
   * Whether another connection, in any thread or process, waits to write. Undefined on PostgreSQL, whose lock queue is
   * fair.
   */
  othersWait(): boolean | undefined;
  /** The size of the log of SQLite (WAL), which a reader keeps from being emptied; 0 on PostgreSQL, whose log has no readers. */
  logBytes(): number;
  /** The same database for background work, whose statements may take any time on PostgreSQL. It is not closed. */
  withoutTimeout(): Db;
  close(): Promise<void>;
}

/** How a database is opened. */
export interface DbOptions {
  keyedHash?: KeyedHash;
  /** Whether SQLite enforces foreign keys (default true); a database that is being loaded does not need them. */
  foreignKeys?: boolean;
  /**
   * How long a statement may take on PostgreSQL before it fails as `Unavailable` and its connection ends, but for
   * migrations. Left out: any time, while the host answers.
   */
  timeoutMs?: number | undefined;
  /**
   * Whether sessions of PostgreSQL keep prepared statements, settings and notifications (default true). A pooler in
   * transaction mode gives each transaction another session.
   */
  prepared?: boolean;
  /** The `application_name` of the sessions on PostgreSQL. */
  sessionName?: string | undefined;
}

/** If there are none, another one does not start on SQLite before it is disposed; on PostgreSQL it waits for `migrating`. */
export interface OlderServices extends Disposable {
  names: readonly string[];
}

export interface TransactionOptions {
  /**
   * Whether the commit waits for fsync (default true). Without it a power failure may lose the whole transaction; the end of
   * the process does not. On SQLite such a commit does not block the event loop for the disk.
   */
  durable?: boolean;
}

export interface MigrationTx extends Transaction {
  /** Runs a text of several statements. */
  script(text: string): Promise<void>;
}

/**
 * Converts a number of the database to a JavaScript number. Keys and timestamps stay below 2^53. A counter beyond that
 * reads as the largest safe integer; the database still counts exactly, so retracting an event restores the old value.
 */
export function safeNumber(value: number | bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  return number > 0 ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;
}

/** The keyed hash of a database that is opened without a secret: refuses to hash. */
export function withoutKey(): never {
  throw new TypeError('This database was opened without the secret of its installation');
}

export const exists = async (db: Queryable, query: Sql): Promise<boolean> => (await db.get(query)) !== undefined;

/** Reads a column of 0 and 1. */
export const flag = (cell: number): boolean => cell === 1;

/** Reads a column of JSON, as whatever the member has. */
export const json = (cell: string): never => JSON.parse(cell) as never;

/** How the columns of a row are read; the compiler demands those of all members that no column can hold. */
export type Columns<T> = { [K in keyof T]?: (cell: never) => T[K] } & {
  [K in keyof T as T[K] extends Cell ? never : K]: (cell: never) => T[K];
};

/** Reads rows: each column whose reader is given by it, the others as they are. */
export function rowReader<T>(columns: Columns<T>): (row: Row) => T {
  const readers = Object.entries(columns) as [string, (cell: unknown) => unknown][];
  return (row) => {
    const read: Record<string, unknown> = { ...row };
    for (const [column, reader] of readers) read[column] = reader(read[column]);
    return read as T;
  };
}

/** The first row, as `to` makes it. */
export async function getAs<T>(db: Queryable, query: Sql, to: (row: never) => T): Promise<T | undefined> {
  const row = await db.get(query);
  return row && to(row as never);
}

/** All rows, as `to` makes them. */
export const allAs = async <T>(db: Queryable, query: Sql, to: (row: never) => T): Promise<T[]> =>
  (await db.all(query)).map((row) => to(row as never));

/** The first column of the first row. */
export async function getValue<V extends Cell>(db: Queryable, query: Sql): Promise<V | undefined> {
  const row = await db.get(query);
  return row && (Object.values(row)[0] as V);
}

/** The first column of all rows. */
export const columnOf = async <V extends Cell>(db: Queryable, query: Sql): Promise<V[]> =>
  (await db.tuples(query)).map(([value]) => value as V);

/** The rows of a query with a list, for any number of values: of one statement for each part of them. */
export const tuplesAmong = async <R extends Cell[]>(
  db: Queryable,
  values: readonly Value[],
  query: (some: Sql) => Sql,
): Promise<R[]> => (await Promise.all(lists(values).map((some) => db.tuples(query(some))))).flat() as R[];

/** Runs a writing statement. @returns whether it has changed a row */
export const changesRow = async (db: Queryable, query: Sql): Promise<boolean> => (await db.run(query)) > 0;

/** Runs work in a transaction. @returns undefined if it violates a primary key or a unique constraint; then nothing has changed */
export async function unlessTaken<T>(db: Transactional, work: (tx: Transaction) => Promise<T>): Promise<T | undefined> {
  try {
    return await db.transaction(work);
  } catch (error) {
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
}

/** Whether the error is the violation of a primary key or of a unique constraint. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  return code === '23505' || errcode === 1555 || errcode === 2067;
}

/** Runs work as a part of an open transaction. If it fails, what it changed is undone, and the rest of the transaction can continue. */
export async function asPart<T>(tx: MigrationTx, work: (tx: Transaction) => Promise<T>): Promise<T> {
  await tx.script('savepoint part');
  try {
    const result = await work(tx);
    await tx.script('release savepoint part');
    return result;
  } catch (error) {
    // Without effect if the whole transaction is over, as after the loss of the connection.
    await tx.script('rollback to savepoint part; release savepoint part').catch(() => undefined);
    throw error;
  }
}

/** The message of the triggers that refuse every write to a database whose network moves to another one. */
export const CLOSED = 'The database is closed: its network moves to another database';
