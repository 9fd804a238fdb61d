import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '#platform/clock.ts';
import { LAST_COMMIT, LAST_FAILURE, LAST_FULL } from '#context/outages.ts';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { checkWritable } from '#store/installation/writable.ts';
import type { MetricList, ThreadMetrics } from './thread-metrics.ts';

/** The service is not ready two seconds after its database has fallen silent, for a load balancer that asks often. */
const CHECK_TIMEOUT_MS = 1_500;
/** A commit of this process within this time proves that the database can be written. */
const FRESH_MS = 10_000;
/**
 * How long a thread or a write may be silent. A loaded process is slow and still ready: without it the others would get its
 * load as well.
 */
const MAX_SILENCE_MS = 10_000;

/**
 * How long a failure for lack of space counts: a write of one row finds space when events do not. Game servers repeat their
 * events, so that the next failure follows while the disk is full.
 */
const FULL_MS = 2_000;

/** The result of each check: `ok`, or a sentence that says what is wrong. */
type Checks = Record<string, string>;

/** Whether this process can serve: the database answers, it can be written, and every thread reacts. */
export class Readiness {
  readonly #db: Db;
  readonly #threads: ThreadMetrics;
  #writing: { since: number; result: Promise<string> } | undefined;

  constructor(db: Db, threads: ThreadMetrics) {
    this.#db = db;
    this.#threads = threads;
  }

  async checks(): Promise<Checks> {
    const [database, replies] = await Promise.all([inTime(this.#read()), this.#threads.replies()]);
    const writable = database === 'ok' ? await this.#writes([...replies.values()]) : database;
    const now = performance.now();
    const threads = [...this.#threads.threads].map((thread) => [
      `thread ${thread}`,
      this.#threads.silenceMs(thread, now) < MAX_SILENCE_MS ? 'ok' : `has taken no turn for ${MAX_SILENCE_MS / 1000} s`,
    ]);
    return { database, writes: writable, ...Object.fromEntries(threads) };
  }

  async #read(): Promise<string> {
    await this.#db.tuple(sql`select name from migrations order by number desc limit 1`);
    return 'ok';
  }

  /** @param others the metrics of the other threads, with their last transactions */
  async #writes(others: readonly MetricList[]): Promise<string> {
    const { outages } = this.#db;
    const latest = (own: number, name: string): number => Math.max(own, ...others.map((list) => valueOf(list, name)));
    if (systemClock.now() - latest(outages.lastFull, LAST_FULL) < FULL_MS)
      return 'a transaction has failed because the disk is full';
    const commit = latest(outages.lastCommit, LAST_COMMIT);
    if (commit > latest(outages.lastFailure, LAST_FAILURE) && systemClock.now() - commit < FRESH_MS) return 'ok';
    this.#writing ??= { since: performance.now(), result: this.#write() };
    const { since, result } = this.#writing;
    const waited = (): string =>
      performance.now() - since < MAX_SILENCE_MS ? 'ok' : `no transaction has ended for ${MAX_SILENCE_MS / 1000} s`;
    return await Promise.race([result, pause(CHECK_TIMEOUT_MS).then(waited)]);
  }

  /** A write that waits for the lock of another transaction continues after the response, and the next check finds it. */
  async #write(): Promise<string> {
    try {
      await checkWritable(this.#db);
      return 'ok';
    } catch (error) {
      return reasonOf(error);
    } finally {
      this.#writing = undefined;
    }
  }
}

/** The largest value of a metric of a thread in milliseconds; 0 if it has none. */
function valueOf(list: MetricList, name: string): number {
  const values = list.find((metric) => metric.name === name)?.values ?? [];
  return Math.max(0, ...values.map(({ value }) => value * 1000));
}

export async function inTime(check: Promise<string>): Promise<string> {
  return await Promise.race([
    check.catch(reasonOf),
    pause(CHECK_TIMEOUT_MS, `does not answer within ${CHECK_TIMEOUT_MS} ms`),
  ]);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
