import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

const KEYS_PER_MS = 2048;

/** The largest key of a millisecond. */
export const newestKeyAt = (ms: number): number => ms * KEYS_PER_MS + KEYS_PER_MS - 1;

/**
 * Assigns keys within a transaction. The row of the sequence stays locked until commit, so keys become visible in their
 * order even with several writers and processes: a client that pages from the newest key and repeats misses nothing.
 */
export class Keys {
  readonly #tx: Queryable;
  #last: number;

  private constructor(tx: Queryable, last: number) {
    this.#tx = tx;
    this.#last = last;
  }

  /** Takes the lock. Every transaction must take it before any other lock, which rules out deadlocks. */
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

  /** Assigns the key that an imported event had before, if that keeps the order. */
  resume(key: number): boolean {
    if (key <= this.#last) return false;
    this.#last = key;
    return true;
  }

  async save(): Promise<void> {
    await this.#tx.run(sql`update sequence set last = ${this.#last} where name = 'key'`);
  }
}

/** Events use the keys of a millisecond from the first one on, so its second half is almost always free. */
const ACCOUNT_KEY_OFFSET = 1024;

/**
 * Assigns a key to an account, an application or a credential, in the transaction that creates it. These keys have a
 * sequence of their own, so that imported events keep their ids in an installation that already has accounts. The same
 * key may therefore exist in both sequences; look-ups must name the kind.
 */
export async function nextKey(tx: Queryable, now: number): Promise<number> {
  const least = now * KEYS_PER_MS + ACCOUNT_KEY_OFFSET;
  const { last } = (await tx.get<{ last: number }>(sql`
    update sequence set last = case when last >= ${least} then last + 1 else ${least} end where name = 'account'
    returning last`))!;
  return last;
}
