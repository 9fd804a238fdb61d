import { type Batcher, batcher, type Pending } from '#platform/batcher.ts';
import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import { type AttemptCount, type AttemptLimit, type AttemptResult, countAttempts } from '#store/accounts/attempts.ts';
import { Refusals } from './refusals.ts';

/** How long a refusal is repeated without reading the count, which a right password may have lowered meanwhile. */
const REPEAT_MS = 1_000;
/** Maximum subjects that one statement counts. */
const MAX_BATCH = 32;

interface Guess {
  subject: string;
  limit: AttemptLimit;
}

type PendingGuess = Pending<Guess, AttemptResult>;

/**
 * Counts guesses. One statement counts all that arrived during the previous one, so that any number of them occupies one
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
    this.#batches = batcher({ run: (batch) => this.#countBatch(batch), size: sizeOfBatch });
  }

  /** Like `countAttempt`. */
  async count(subject: string, limit: AttemptLimit): Promise<AttemptResult> {
    const refusal = this.#refusals.get(subject, this.#clock.now());
    if (refusal !== undefined) return refusal;
    return await this.#batches.add({ subject, limit });
  }

  async #countBatch(batch: readonly PendingGuess[]): Promise<void> {
    const guesses = Map.groupBy(batch, ({ item }) => item.subject);
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

/** The guesses at a power of two of subjects, so that the number of different prepared statements stays small. */
function sizeOfBatch(waiting: readonly PendingGuess[]): number {
  const subjects = new Set<string>();
  const ends: number[] = [];
  for (const [index, { item }] of waiting.entries()) {
    if (subjects.has(item.subject)) continue;
    if (subjects.size > MAX_BATCH) break;
    ends.push(index);
    subjects.add(item.subject);
  }
  const size = 2 ** Math.floor(Math.log2(Math.min(MAX_BATCH, subjects.size)));
  return ends[size] ?? waiting.length;
}
