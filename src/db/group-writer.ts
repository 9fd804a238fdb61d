import type { Db, TransactionOptions } from './db.ts';
import type { Sql } from './sql.ts';

interface PendingWrite {
  query: Sql;
  settle: () => void;
  fail: (error: unknown) => void;
}

/**
 * Group commit: combines the single-statement writes of concurrent requests into one transaction, which needs one fsync.
 * Each promise resolves when its statement is committed. Use it only for independent statements that do not fail
 * (inserts with random keys): one failing statement fails the whole group.
 */
export class GroupWriter {
  readonly #db: Db;
  readonly #options: TransactionOptions;
  #pending: PendingWrite[] = [];
  #writing = false;

  constructor(db: Db, options: TransactionOptions = {}) {
    this.#db = db;
    this.#options = options;
  }

  write(query: Sql): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#pending.push({ query, settle: resolve, fail: reject });
    if (!this.#writing) {
      this.#writing = true;
      setImmediate(() => void this.#flush());
    }
    return promise;
  }

  async #flush(): Promise<void> {
    while (this.#pending.length > 0) {
      const group = this.#pending;
      this.#pending = [];
      try {
        const queries = group.map(({ query }) => query);
        await this.#db.transaction((tx) => tx.runAll(queries), this.#options);
        for (const { settle } of group) settle();
      } catch (error) {
        for (const { fail } of group) fail(error);
      }
    }
    this.#writing = false;
  }
}
