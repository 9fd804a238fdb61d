import type { MaybePromise } from '#platform/maybe-promise.ts';
import type { Sql } from './sql.ts';

export type Row = Record<string, string | number | null | Uint8Array>;
export type Cell = string | number | null | Uint8Array;

/** HMAC-SHA-256 of a text in base64url, under the secret of the installation, which does not stand in the database. */
export type KeyedHash = (text: string) => string;

/** What runs statements: the database itself, or one transaction on it. */
export interface Queryable {
  /** How what could be found by trying every possibility (a short code, a UUID) is stored and looked up. */
  readonly keyedHash: KeyedHash;
  /** Whether statements travel to a server: then many rows go best in one. */
  readonly remote: boolean;
  /** All rows of a `select` or of a writing statement with `returning`. */
  all<R = Row>(query: Sql): Promise<R[]>;
  /** The first row. */
  get<R = Row>(query: Sql): Promise<R | undefined>;
  /** All rows as arrays in the order of the columns: for short reads on the paths where building objects shows. */
  tuples(query: Sql): Promise<Cell[][]>;
  /** The first row as an array. */
  tuple(query: Sql): Promise<Cell[] | undefined>;
  /** Runs a writing statement and tells how many rows it changed. */
  run(query: Sql): Promise<number>;
  /** Runs writing statements in order, in one go where the driver can. */
  runAll(queries: readonly Sql[]): Promise<void>;
}

/** One state of the database, for as long as it is open. Only `select` may be asked. */
export type Snapshot = Queryable & AsyncDisposable;

/** What reads, and may know at once: for the paths where waiting for what is there already shows. */
export interface Reads {
  tuples(query: Sql): MaybePromise<Cell[][]>;
  tuple(query: Sql): MaybePromise<Cell[] | undefined>;
}

/**
 * Numbers that move when something of a kind is committed, by whatever process: what was read since then still holds.
 * Undefined where the database cannot tell in time, so that nothing of the kind may be kept.
 */
export interface Versions {
  /** Anything at all. */
  anything: number | undefined;
  /** A match that was readable before: it was changed or taken back. */
  matches: number | undefined;
  /** A token or application that was there before. */
  credentials: number | undefined;
  /** Never moves: which database it is. */
  origin: number | undefined;
}

export interface Db extends Queryable, AsyncDisposable {
  readonly dialect: 'sqlite' | 'postgres';
  /** Reads without waiting, where the database is a file of this machine. Only `select` may be asked. */
  readonly readSync: Reads;
  /**
   * The database for reads that are short whatever its size: where they travel to a server, they follow each other on
   * connections they share, and one that took long would hold up those behind it. Only `select` may be asked.
   */
  readonly shortReads: Queryable;
  /** What has become of things that were read before, told without leaving this process. */
  versions(): Versions;
  /**
   * Opens a state of the database for many reads that belong together, on a connection of its own: neither writers nor
   * other readers wait for it. It is the state of the first read.
   */
  snapshot(): Promise<Snapshot>;
  /** Runs the work in one transaction: all of it is committed, durably, or none. Never nest: hand the `tx` on. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Runs the statements of migrations, several in one text, under a lock that other processes honour. */
  migrating(work: (tx: MigrationTx) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export interface MigrationTx extends Queryable {
  script(text: string): Promise<void>;
}

/**
 * A number as JavaScript holds it. Keys and moments stay below 2^53; a counter that somebody has driven beyond is told as
 * the largest number that is exact, and goes on being counted as it is, so that taking it back leaves what was.
 */
export function safeNumber(value: number | bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  return number > 0 ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;
}

/** For those who keep nothing that is hashed so. */
export function withoutKey(): never {
  throw new TypeError('This database was opened without the secret of its installation');
}

/** Whether the error says that a row with this key exists already. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  return code === '23505' || errcode === 1555 || errcode === 2067;
}
