import { type Batcher, batcher, type Pending } from '#platform/streams/batcher.ts';
import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import { type AttemptCount, type AttemptLimit, type AttemptResult, countAttempts } from '#store/accounts/attempts.ts';
import { Refusals } from './refusals.ts';

/** How long a refusal is repeated without reading the count, which a right password may have lowered meanwhile. */
const REPEAT_MS = 1_000;
/** Maximum subjects that one statement counts. */
const MAX_SUBJECTS = 32;

interface Guess {
  subject: string;
  limit: AttemptLimit;
}

type PendingGuess = Pending<Guess, AttemptResult>;

/**
 * Counts guesses. All that arrive while others are counted become the next batch, so that any number of them occupies one
 * connection of the pool and does not wait there for locked rows. Refusals are repeated from memory for a second, and the
 * counts, which all processes share, lack those.
 */
export class GuessCounter {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #batches: Batcher<Guess, AttemptResult>;
  readonly #refusals = new Refusals<AttemptResult>();

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#batches = batcher({ run: (batch) => this.#countBatch(batch) });
  }

  /** Like `countAttempt`. */
  async count(subject: string, limit: AttemptLimit): Promise<AttemptResult> {
    const refusal = this.#refusals.get(subject, this.#clock.now());
    if (refusal !== undefined) return refusal;
    return await this.#batches.add({ subject, limit });
  }

  async #countBatch(batch: readonly PendingGuess[]): Promise<void> {
    const subjects = [...Map.groupBy(batch, ({ item }) => item.subject)];
    while (subjects.length > 0) {
      // A power of two, so that the number of different prepared statements stays small.
      const size = 2 ** Math.floor(Math.log2(Math.min(MAX_SUBJECTS, subjects.length)));
      await this.#countSubjects(new Map(subjects.splice(0, size)));
    }
  }

  async #countSubjects(guesses: ReadonlyMap<string, readonly PendingGuess[]>): Promise<void> {
    const attempts = [...guesses].map(([subject, of]) => {
      return { subject, count: of.length, windowMs: of[0]!.item.limit.windowMs };
    });
    const counts = await countAttempts(this.#db, this.#clock.now(), attempts);
    for (const count of counts) this.#answer(count, guesses.get(count.subject)!);
  }

  #answer({ subject, used, resets }: AttemptCount, guesses: readonly PendingGuess[]): void {
    const before = used - guesses.length;
    for (const [index, { item, resolve }] of guesses.entries()) {
      const counted = before + index + 1;
      const result = { allowed: counted <= item.limit.max, used: counted, resets };
      if (!result.allowed) this.#refusals.add(subject, result, Math.min(this.#clock.now() + REPEAT_MS, resets));
      resolve(result);
    }
  }
}
