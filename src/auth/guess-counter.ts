import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import { type AttemptCount, type AttemptLimit, type AttemptResult, countAttempts } from '#store/accounts/attempts.ts';
import { Refusals } from './refusals.ts';

/** For this long a refusal is repeated without reading the count, which a right password may have lowered meanwhile. */
const REPEAT_MS = 1_000;
/** Maximum subjects that one statement counts. */
const MAX_BATCH = 32;

interface PendingGuess {
  limit: AttemptLimit;
  resolve: (result: AttemptResult) => void;
  reject: (error: unknown) => void;
}

/**
 * Counts the guesses of strangers, who can send any number. All that arrive during one statement are counted by the next
 * one, so that guesses occupy one connection of the pool and do not wait there for each other's rows. Refusals are repeated
 * from memory for a second. All processes share the counts, which lack only the guesses that were refused from memory.
 */
export class GuessCounter {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #pending = new Map<string, PendingGuess[]>();
  readonly #refusals = new Refusals<AttemptResult>();
  #isCounting = false;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Like `countAttempt`. */
  async count(subject: string, limit: AttemptLimit): Promise<AttemptResult> {
    const refusal = this.#refusals.get(subject, this.#clock.now());
    if (refusal !== undefined) return refusal;
    const { promise, resolve, reject } = Promise.withResolvers<AttemptResult>();
    const pending = this.#pending.get(subject) ?? [];
    pending.push({ limit, resolve, reject });
    this.#pending.set(subject, pending);
    if (!this.#isCounting) void this.#countAll();
    return await promise;
  }

  async #countAll(): Promise<void> {
    this.#isCounting = true;
    while (this.#pending.size > 0) await this.#countBatch();
    this.#isCounting = false;
  }

  async #countBatch(): Promise<void> {
    // A power of two, so that the number of different prepared statements stays small.
    const size = 2 ** Math.floor(Math.log2(Math.min(MAX_BATCH, this.#pending.size)));
    const batch = new Map(this.#pending.entries().take(size));
    for (const subject of batch.keys()) this.#pending.delete(subject);
    const attempts = [...batch].map(([subject, guesses]) => {
      return { subject, count: guesses.length, windowMs: guesses[0]!.limit.windowMs };
    });
    try {
      const counts = await countAttempts(this.#db, this.#clock.now(), attempts);
      for (const count of counts) this.#answer(count, batch.get(count.subject)!);
    } catch (error) {
      for (const { reject } of [...batch.values()].flat()) reject(error);
    }
  }

  #answer({ subject, used, resets }: AttemptCount, guesses: readonly PendingGuess[]): void {
    const before = used - guesses.length;
    for (const [index, { limit, resolve }] of guesses.entries()) {
      const counted = before + index + 1;
      const result = { allowed: counted <= limit.max, used: counted, resets };
      if (!result.allowed) this.#refusals.add(subject, result, Math.min(this.#clock.now() + REPEAT_MS, resets));
      resolve(result);
    }
  }
}
