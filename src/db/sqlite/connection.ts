import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  asPart,
  type Cell,
  type KeyedHash,
  type MigrationTx,
  type Row,
  safeNumber,
  type Snapshot,
  type Transaction,
} from '../db.ts';
import { isSelect, type Sql, statementText, type Value } from '../sql.ts';

const CACHED_STATEMENTS = 500;
const CHECKPOINT_PAGES = 20_000;
const PAGE_BYTES = 4_096;
/** `synchronous = full` flushes the WAL to disk at each commit, so committed transactions survive a power failure. */
export const DURABLE = `pragma synchronous = full; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`;
/**
 * A commit does not flush, and leaves the checkpoint, which writes 80 MB and flushes twice, to the next durable commit. The
 * higher limit is for processes without durable commits.
 */
export const NOT_DURABLE = `pragma synchronous = normal; pragma wal_autocheckpoint = ${3 * CHECKPOINT_PAGES}`;
/** The entries of a new index are sorted: those of a large table must not have to fit into memory. */
export const SORTS_IN_FILES = 'pragma temp_store = file';
export const SORTS_IN_MEMORY = 'pragma temp_store = memory';
/**
 * `secure_delete` overwrites deleted content; `fast` would leave free pages. Neither overwrites the copies that SQLite leaves in
 * unused parts of pages when it moves rows to another page; `vacuum` does.
 * `journal_size_limit` gives the disk back what one long transaction took beyond the usual size of the WAL.
 */
const WRITER_PRAGMAS = `pragma secure_delete = on; pragma journal_mode = wal; pragma journal_size_limit = ${CHECKPOINT_PAGES * PAGE_BYTES}; ${DURABLE}`;

/**
 * The reader's cache holds the inner B-tree pages of a million matches; a smaller one loses them to scattered reads. A
 * snapshot reads tables from beginning to end.
 */
const CACHE_KB = { reading: 32_000, writing: 16_000, snapshot: 4_000 };

const statementTexts = new WeakMap<readonly string[], string>();
/**
 * `limit ?` makes SQLite prepare the statement again whenever a value is bound, a third of the cost of a list of 20 rows.
 * `limit ?+0` does not. The same applies to `offset ?`.
 */
const sqliteText = (query: Sql): string =>
  statementText(query, statementTexts, (_, before) => (/\b(limit|offset) $/i.test(before) ? '?+0' : '?'));

export class Connection implements MigrationTx {
  declare readonly isOpen: true;
  readonly remote = false;
  readonly handle: DatabaseSync;
  readonly keyedHash: KeyedHash;
  /** Whether a statement of the current transaction has changed a row, so that the commit proves that the disk is writable. */
  hasWritten = false;
  readonly #statements = new Map<string, Prepared>();

  constructor(path: string, purpose: keyof typeof CACHE_KB, keyedHash: KeyedHash) {
    this.keyedHash = keyedHash;
    const readOnly = purpose !== 'writing';
    this.handle = new DatabaseSync(path, { readOnly, timeout: readOnly ? 5000 : 0 });
    try {
      if (!readOnly) this.handle.exec(WRITER_PRAGMAS);
      this.handle.exec(`pragma foreign_keys = on; ${SORTS_IN_MEMORY}; pragma cache_size = -${CACHE_KB[purpose]}`);
    } catch (error) {
      this.handle.close();
      throw error;
    }
  }

  // The driver is synchronous. `async` turns thrown errors into rejections, as on PostgreSQL.
  async all<R>(query: Sql): Promise<R[]> {
    const { rows, toObject } = this.#read(query, 'all');
    return (rows as Cell[][]).map(toObject) as R[];
  }

  async get<R>(query: Sql): Promise<R | undefined> {
    const { rows, toObject } = this.#read(query, 'get');
    return rows === undefined ? undefined : (toObject(rows as Cell[]) as R);
  }

  async tuples(query: Sql): Promise<Cell[][]> {
    return this.#read(query, 'all').rows as Cell[][];
  }

  async tuple(query: Sql): Promise<Cell[] | undefined> {
    return this.#read(query, 'get').rows as Cell[] | undefined;
  }

  async run(query: Sql): Promise<number> {
    const changed = Number(this.#prepared(query).statement.run(...query.values).changes);
    this.hasWritten ||= changed > 0;
    return changed;
  }

  async runAll(queries: readonly Sql[]): Promise<void> {
    this.hasWritten ||= queries.length > 0;
    let strings: readonly string[] | undefined;
    let statement: StatementSync | undefined;
    for (const query of queries) {
      if (query.strings !== strings) [strings, statement] = [query.strings, this.#prepared(query).statement];
      // Unlike `run`, `get` allocates no result object; a statement without `returning` has no row to return.
      statement!.get(...query.values);
    }
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return asPart(this, work);
  }

  async script(statements: string): Promise<void> {
    this.handle.exec(sqliteScript(statements));
  }

  /** All rows or the first one, as arrays. */
  #read(query: Sql, how: 'all' | 'get'): { rows: unknown; toObject: Prepared['toObject'] } {
    const { statement, toObject } = this.#prepared(query);
    try {
      const rows = statement[how](...query.values) as unknown;
      this.hasWritten ||= !isSelect(query) && rows !== undefined && !(Array.isArray(rows) && rows.length === 0);
      return { rows, toObject };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_OUT_OF_RANGE' || !isSelect(query)) throw error;
      return { rows: readBigInts(statement, how, query.values), toObject };
    }
  }

  #prepared(query: Sql): Prepared {
    const text = sqliteText(query);
    const cached = this.#statements.get(text);
    if (cached !== undefined) return cached;
    if (this.#statements.size >= CACHED_STATEMENTS) this.#statements.clear();
    const statement = this.handle.prepare(text);
    statement.setReturnArrays(true);
    const prepared = { statement, toObject: objectsWith(statement.columns().map(({ name }) => name)) };
    this.#statements.set(text, prepared);
    return prepared;
  }
}

interface Prepared {
  /** Returns rows as arrays. */
  statement: StatementSync;
  toObject: (row: readonly Cell[]) => Row;
}

/** Makes objects of rows. The objects of the driver have no hidden class: copying an object of 14 members takes 5 µs. */
function objectsWith(names: readonly string[]): Prepared['toObject'] {
  return (cells) => {
    const row: Row = {};
    for (let place = 0; place < names.length; place++) row[names[place]!] = cells[place]!;
    return row;
  };
}

export class SqliteSnapshot extends Connection implements Snapshot {
  constructor(path: string, keyedHash: KeyedHash) {
    super(path, 'snapshot', keyedHash);
    this.handle.exec('begin');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.handle.close();
  }
}

/** Migrations use PostgreSQL's types, which SQLite's strict tables do not have. */
function sqliteScript(statements: string): string {
  return statements
    .replace(/\/\*sqlite:(.*?)\*\//gs, '$1')
    .replace(/\bbigint\b/g, 'integer')
    .replace(/\bbytea\b/g, 'blob')
    .replace(/\bdouble precision\b/g, 'real');
}

/** The driver throws at integers beyond 2^53. Then this reads the rows again as bigints and converts them with `safeNumber`. */
function readBigInts(statement: StatementSync, how: 'all' | 'get', values: readonly Value[]): unknown {
  statement.setReadBigInts(true);
  try {
    return withNumbers(statement[how](...values));
  } finally {
    statement.setReadBigInts(false);
  }
}

/** Replaces the bigints in a cell, a row or rows by numbers. */
function withNumbers(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(withNumbers);
  return typeof result === 'bigint' ? safeNumber(result) : result;
}
