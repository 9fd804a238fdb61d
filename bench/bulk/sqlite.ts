import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Cell, type Queryable, type Row, withoutKey } from '#db/db.ts';
import { type Sql, statementText } from '#db/sql.ts';
import type { Bulk } from './bulk.ts';

const statementTexts = new WeakMap<readonly string[], string>();
const STATEMENTS_A_TRANSACTION = 20_000;

/**
 * Fills a SQLite file without journal and without fsync, several times faster than with them. After a crash the file is
 * unusable.
 */
export class BulkSqlite implements Bulk, Queryable {
  readonly keyedHash = withoutKey;
  readonly remote = false;
  readonly tx = this;
  readonly #handle: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #uncommitted = 0;

  constructor(path: string) {
    this.#handle = new DatabaseSync(path);
    // The file is in WAL mode, which SQLite can leave only for journal_mode = delete, not directly for off.
    this.#handle.exec(`
      pragma journal_mode = delete; pragma locking_mode = exclusive; pragma journal_mode = off; pragma synchronous = off;
      pragma foreign_keys = off; pragma cache_size = -400000; pragma temp_store = memory; begin`);
  }

  async insert(statements: readonly Sql[]): Promise<void> {
    await this.runAll(statements);
    this.#uncommitted += statements.length;
    if (this.#uncommitted < STATEMENTS_A_TRANSACTION) return;
    this.#handle.exec('commit; begin');
    this.#uncommitted = 0;
  }

  async finish(): Promise<void> {
    this.#statements.clear();
    this.#handle.exec(
      'commit; pragma locking_mode = normal; pragma journal_mode = wal; pragma wal_checkpoint(truncate)',
    );
  }

  async all<R = Row>(query: Sql): Promise<R[]> {
    return this.#statement(query, false).all(...query.values) as R[];
  }

  async get<R = Row>(query: Sql): Promise<R | undefined> {
    return this.#statement(query, false).get(...query.values) as R | undefined;
  }

  async tuples(query: Sql): Promise<Cell[][]> {
    return this.#statement(query, true).all(...query.values) as unknown as Cell[][];
  }

  async tuple(query: Sql): Promise<Cell[] | undefined> {
    return this.#statement(query, true).get(...query.values) as unknown as Cell[] | undefined;
  }

  async run(query: Sql): Promise<number> {
    return Number(this.#statement(query, false).run(...query.values).changes);
  }

  async runAll(queries: readonly Sql[]): Promise<void> {
    for (const query of queries) this.#statement(query, false).run(...query.values);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#handle.close();
  }

  #statement(query: Sql, arrays: boolean): StatementSync {
    const text = statementText(query, statementTexts, () => '?');
    const name = `${arrays ? 'arrays' : 'objects'} ${text}`;
    let statement = this.#statements.get(name);
    if (statement === undefined) {
      statement = this.#handle.prepare(text);
      statement.setReturnArrays(arrays);
      this.#statements.set(name, statement);
    }
    return statement;
  }
}
