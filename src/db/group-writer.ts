import type { Db } from './db.ts';
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
  #pending: PendingWrite[] = [];
  #writing = false;

  constructor(db: Db) {
    this.#db = db;
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
        await this.#db.runAll(group.map(({ query }) => query));
        for (const { settle } of group) settle();
      } catch (error) {
        for (const { fail } of group) fail(error);
      }
    }
    this.#writing = false;
  }
}
