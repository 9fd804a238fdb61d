import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

const KEYS_PER_MS = 2048;

/** The last key that belongs to a moment. */
export const newestKeyAt = (ms: number): number => ms * KEYS_PER_MS + KEYS_PER_MS - 1;

/**
 * Hands out keys inside a transaction. Its row stays locked until commit, so keys become visible to readers in their
 * order, whatever the number of writers and processes: whoever walks from the newest and repeats misses nothing.
 */
export class Keys {
  readonly #tx: Queryable;
  #last: number;

  private constructor(tx: Queryable, last: number) {
    this.#tx = tx;
    this.#last = last;
  }

  /** Takes the lock. Every transaction that takes it takes it first, so two of them never wait for each other. */
  static async lock(tx: Queryable): Promise<Keys> {
    const { last } = (await tx.get<{ last: number }>(
      sql`update sequence set last = last where name = 'key' returning last`,
    ))!;
    return new Keys(tx, last);
  }

  /** A key that grows with time, even when the clock steps back. */
  next(now: number): number {
    this.#last = Math.max(this.#last + 1, now * KEYS_PER_MS);
    return this.#last;
  }

  /** The key right behind the last one: what an event brings into being follows the event's own key. */
  following(): number {
    return ++this.#last;
  }

  /** Takes a key that an exported event had, where that keeps the order. */
  resume(key: number): boolean {
    if (key <= this.#last) return false;
    this.#last = key;
    return true;
  }

  async save(): Promise<void> {
    await this.#tx.run(sql`update sequence set last = ${this.#last} where name = 'key'`);
  }
}

/** Events begin each millisecond with its first key: behind the middle of it there is hardly ever one. */
const BEHIND_EVENTS = 1024;

/**
 * A key for what is no event's: accounts, applications and credentials, in the transaction that makes it. They have a row
 * of their own, so that events that were exported can have their ids in a network where there are accounts already. What
 * looks for such an id among other things has to say what it is looking for.
 */
export async function nextKey(tx: Queryable, now: number): Promise<number> {
  const least = now * KEYS_PER_MS + BEHIND_EVENTS;
  const { last } = (await tx.get<{ last: number }>(sql`
    update sequence set last = case when last >= ${least} then last + 1 else ${least} end where name = 'account'
    returning last`))!;
  return last;
}
