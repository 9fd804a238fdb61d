import type { Db } from './db.ts';
import type { Sql } from './sql.ts';

interface Waiting {
  query: Sql;
  settle: () => void;
  fail: (error: unknown) => void;
}

/**
 * Group commit: statements that many requests want at the same moment go to the disk together, and each is answered when
 * it is there. For statements that stand alone and do not fail (inserts under random keys); one that does fails all.
 */
export class GroupWriter {
  readonly #db: Db;
  #waiting: Waiting[] = [];
  #writing = false;

  constructor(db: Db) {
    this.#db = db;
  }

  write(query: Sql): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ query, settle: resolve, fail: reject });
    if (!this.#writing) {
      this.#writing = true;
      setImmediate(() => void this.#flush());
    }
    return promise;
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
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
