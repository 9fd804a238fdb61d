import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

const KEYS_PER_MS = 2048;

/** The largest key of a millisecond. */
export const newestKeyAt = (ms: number): number => ms * KEYS_PER_MS + KEYS_PER_MS - 1;

/**
 * Assigns keys within a transaction. The row of the sequence stays locked until commit, so that keys become visible in
 * their order even with several writers and processes, and a client that repeatedly pages from the newest key misses
 * nothing.
 */
export class Keys {
  readonly #tx: Queryable;
  #last: number;

  private constructor(tx: Queryable, last: number) {
    this.#tx = tx;
    this.#last = last;
  }

  /**
   * Takes the lock. The order of locks, which rules out deadlocks: this row, the row of the account keys (`nextKey`,
   * `lockAccounts`), projections and samples, then accounts, then all other rows, and last those of the audit log. A transaction that may write events,
   * players or aliases later takes this lock first, also if most of its calls would not need it.
   */
  static async lock(tx: Queryable): Promise<Keys> {
    const { last } = (await tx.get<{ last: number }>(
      sql`update sequence set last = last where name = 'key' returning last`,
    ))!;
    return new Keys(tx, last);
  }

  /** The next key at this time. Keys grow even when the clock steps back. */
  next(now: number): number {
    this.#last = Math.max(this.#last + 1, now * KEYS_PER_MS);
    return this.#last;
  }

  /** The key right after the last one, for a record that an event creates: it follows the key of the event. */
  following(): number {
    return ++this.#last;
  }

  /** Assigns the former key of an imported event, if that keeps the order. */
  resume(key: number): boolean {
    if (key <= this.#last) return false;
    this.#last = key;
    return true;
  }

  async save(): Promise<void> {
    await this.#tx.run(sql`update sequence set last = ${this.#last} where name = 'key'`);
  }
}

/** Events use the keys of a millisecond from its first one, so its second half is almost always free. */
const ACCOUNT_KEY_OFFSET = 1024;

/**
 * Assigns a key to an account, an application or a credential, in the transaction that creates it. These keys have a
 * separate sequence, so that imported events keep their ids in an installation that already has accounts. The same key
 * may therefore exist in both sequences; look-ups must name the kind.
 */
export async function nextKey(tx: Queryable, now: number): Promise<number> {
  const least = now * KEYS_PER_MS + ACCOUNT_KEY_OFFSET;
  const { last } = (await tx.get<{ last: number }>(sql`
    update sequence set last = case when last >= ${least} then last + 1 else ${least} end where name = 'account'
    returning last`))!;
  return last;
}

/** Takes the lock of the account keys without assigning one, to serialise decisions about several accounts. */
export async function lockAccounts(tx: Queryable): Promise<void> {
  await tx.run(sql`update sequence set last = last where name = 'account'`);
}
