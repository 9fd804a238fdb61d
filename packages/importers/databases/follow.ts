import type { Extent } from './database-import.ts';
import { SourceUnavailable } from './source-database.ts';
import type { Finding } from '../finding.ts';

/** Interval of full comparisons, which find changes that the program does not mark. */
const COMPARE_EVERY_MS = 600_000;

/** An open database that is read in rounds. */
export interface Rounds extends AsyncDisposable {
  findings(extent: Extent): AsyncIterable<Finding>;
}

/** The present time, and a pause that the signal ends. */
export interface FollowClock {
  now(): number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export interface FollowOptions {
  /** Connects to the database, again after each outage. */
  open(): Promise<Rounds>;
  /** Ingests the findings of one round. */
  ingest(findings: AsyncIterable<Finding>): Promise<void>;
  /** Whether an error of `ingest` passes by itself. */
  isOutage(error: unknown): boolean;
  everyMs: number;
  clock: FollowClock;
  /** Called with a sentence when an outage begins or ends. */
  onTrouble(sentence: string): void;
  signal: AbortSignal;
}

/**
 * Imports a database again and again until the signal. After an outage of either database it reconnects. Errors of the
 * first round and permanent errors are thrown.
 */
export async function followDatabase(options: FollowOptions): Promise<void> {
  const following = new Following(options);
  try {
    while (!options.signal.aborted) {
      await following.round();
      await options.clock.wait(options.everyMs, options.signal);
    }
  } finally {
    await following[Symbol.asyncDispose]();
  }
}

class Following implements AsyncDisposable {
  readonly #options: FollowOptions;
  #rounds: Rounds | undefined;
  /** The time of the last full comparison; undefined after a new connection. */
  #compared: number | undefined;
  #hasSucceeded = false;
  #isOut = false;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  async round(): Promise<void> {
    try {
      await this.#import();
    } catch (error) {
      const isOutage = error instanceof SourceUnavailable || this.#options.isOutage(error);
      if (!this.#hasSucceeded || !isOutage) throw error;
      if (!this.#isOut) this.#options.onTrouble(`${(error as Error).message.replace(/\.?$/, '.')} Trying again.`);
      this.#isOut = true;
      await this[Symbol.asyncDispose]();
    }
  }

  async #import(): Promise<void> {
    const options = this.#options;
    this.#rounds ??= await options.open();
    const started = options.clock.now();
    const isDue = this.#compared === undefined || started - this.#compared >= COMPARE_EVERY_MS;
    await options.ingest(untilAborted(this.#rounds.findings(isDue ? 'all' : 'recent'), options.signal));
    if (isDue) this.#compared = started;
    if (this.#isOut) options.onTrouble('The database can be read again.');
    this.#isOut = false;
    this.#hasSucceeded = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const rounds = this.#rounds;
    this.#rounds = undefined;
    this.#compared = undefined;
    await rounds?.[Symbol.asyncDispose]();
  }
}

/** Ends early at the signal. The next import reads the rows since the last checkpoint again. */
async function* untilAborted(findings: AsyncIterable<Finding>, signal: AbortSignal): AsyncGenerator<Finding> {
  for await (const finding of findings) {
    if (signal.aborted) return;
    yield finding;
  }
}
