import { batcher, type Pending } from '#platform/streams/batcher.ts';
import type { Clock } from '#platform/clock.ts';
import type { AppContext } from '#context/context.ts';
import type { Db } from '#db/db.ts';
import { join, row, sql } from '#db/sql.ts';
import { clientNetworks } from './client-network.ts';
import { FixedWindows, type Window } from './fixed-windows.ts';
import { LIMITS } from './limits.ts';

/** The state of a subject's rate limit after one of its requests. */
export interface RateLimitResult {
  allowed: boolean;
  limit: number;
  /** The requests left in the window. */
  remaining: number;
  /** Epoch milliseconds at which the window ends. */
  resets: number;
}

/**
 * Counts requests in fixed windows of one hour that begin with a subject's first request. A subject is a user, an
 * application or a client address. `MemoryRateLimiter` serves a single process, `SharedRateLimiter` several processes.
 */
export interface RateLimiter extends AsyncDisposable {
  /**
   * Counts a request.
   * @param price the number of requests that it counts as. One that costs more than is left is refused and not counted.
   */
  count(subject: string, limit: number, price?: number): RateLimitResult | Promise<RateLimitResult>;
  /** Reads the state without counting a request. */
  peek(subject: string, limit: number): RateLimitResult | Promise<RateLimitResult>;
}

interface OfAddress {
  kind: string;
  address: string;
  limit: number;
  price: number;
}

/**
 * Counts a request for each network of an address, and stops at one that has used up its limit: otherwise its refused
 * requests would use up the limit of the wider ones. One that costs more than one of them has left is counted for none.
 * @returns the result for the network with the fewest requests left
 */
export async function countNetworks(
  limiter: RateLimiter,
  how: 'count' | 'peek',
  counted: OfAddress,
): Promise<RateLimitResult> {
  const { kind, address, limit, price } = counted;
  if (how === 'count' && price > 1) {
    const before = await countNetworks(limiter, 'peek', counted);
    if (price > before.remaining) return { ...before, allowed: false };
  }
  let fewest: RateLimitResult | undefined;
  for (const { name, factor } of clientNetworks(address)) {
    const result = await limiter[how](`${kind}:${name}`, limit * factor, price);
    if (!result.allowed) return result;
    if (fewest === undefined || result.remaining < fewest.remaining) fewest = result;
  }
  return fewest!;
}

/** All limits that the rate limiters count have windows of an hour. */
const { windowMs: WINDOW_MS } = LIMITS.user;
const SAVE_EVERY_MS = 1_000;
const SAVE_BATCH_SIZE = 64;
/** Limits the memory against a client with millions of addresses; a busy hour has far fewer subjects. */
const MAX_SUBJECTS = 500_000;

function rateLimitResult({ used, resets }: Window, limit: number): RateLimitResult {
  return { allowed: used <= limit, limit, remaining: Math.max(0, limit - used), resets };
}

/** The state of a subject without any request. */
export function unusedRateLimit(limit: number, now: number): RateLimitResult {
  return rateLimitResult({ used: 0, resets: now + WINDOW_MS }, limit);
}

/** Counts in memory. Loads the counters from the database on open, and saves them every second and on close. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #windows: FixedWindows<string>;
  readonly #unsaved = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  private constructor(db: Db, clock: Clock, saveFailed: (error: unknown) => void, maxSubjects: number) {
    this.#db = db;
    this.#clock = clock;
    this.#windows = new FixedWindows(WINDOW_MS, maxSubjects);
    this.#timer = setInterval(() => void this.save().catch(saveFailed), SAVE_EVERY_MS).unref();
  }

  /**
   * @param maxSubjects the number of windows in memory; beyond it the oldest window is dropped
   * @param prefix the beginning of the subjects that this limiter counts
   */
  static async open(
    db: Db,
    clock: Clock,
    saveFailed: (error: unknown) => void,
    maxSubjects = MAX_SUBJECTS,
    prefix = '',
  ): Promise<MemoryRateLimiter> {
    const rateLimiter = new MemoryRateLimiter(db, clock, saveFailed, maxSubjects);
    const rows = await db.all<Window & { subject: string }>(
      sql`select subject, used, resets from rate_limits where resets > ${clock.now()} and subject like ${`${prefix}%`}
        order by resets desc limit ${maxSubjects}`,
    );
    for (const { subject, used, resets } of rows.reverse()) rateLimiter.#windows.set(subject, { used, resets });
    return rateLimiter;
  }

  count(subject: string, limit: number, price = 1): RateLimitResult {
    if (price > 1) {
      const before = this.peek(subject, limit);
      if (price > before.remaining) return { ...before, allowed: false };
    }
    this.#unsaved.add(subject);
    return rateLimitResult(this.#windows.add(subject, price, this.#clock.now()), limit);
  }

  peek(subject: string, limit: number): RateLimitResult {
    const now = this.#clock.now();
    const window = this.#windows.get(subject);
    return window !== undefined && window.resets > now ? rateLimitResult(window, limit) : unusedRateLimit(limit, now);
  }

  /** Saves the changed counters. If that fails, the next call saves them. */
  async save(): Promise<void> {
    const now = this.#clock.now();
    const subjects = [...this.#unsaved];
    this.#unsaved.clear();
    try {
      for (let start = 0; start < subjects.length; start += SAVE_BATCH_SIZE) {
        await this.#saveBatch(subjects.slice(start, start + SAVE_BATCH_SIZE));
      }
    } catch (error) {
      for (const subject of subjects) this.#unsaved.add(subject);
      throw error;
    }
    this.#windows.deleteEnded(now);
  }

  async #saveBatch(subjects: string[]): Promise<void> {
    const rows = subjects.flatMap((subject) => {
      const window = this.#windows.get(subject);
      return window === undefined ? [] : [row([subject, window.used, window.resets])];
    });
    if (rows.length === 0) return;
    const statement = sql`
      insert into rate_limits (subject, used, resets) values ${join(rows)}
      on conflict (subject) do update set used = excluded.used, resets = excluded.resets`;
    await this.#db.transaction((tx) => tx.run(statement), { durable: false });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.save();
  }
}

/** A request that waits to be counted. */
interface Count {
  subject: string;
  limit: number;
  price: number;
}

/** Counts in the database, for several processes. Counts the requests of a subject that arrive together in one statement. */
export class SharedRateLimiter implements RateLimiter {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #batches = batcher<Count, RateLimitResult>({
    key: ({ subject }) => subject,
    run: (batch) => this.#countBatch(batch),
  });

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  count(subject: string, limit: number, price = 1): Promise<RateLimitResult> {
    return this.#batches.add({ subject, limit, price });
  }

  async peek(subject: string, limit: number): Promise<RateLimitResult> {
    const now = this.#clock.now();
    const window = await this.#db.get<Window>(
      sql`select used, resets from rate_limits where subject = ${subject} and resets > ${now}`,
    );
    return window === undefined ? unusedRateLimit(limit, now) : rateLimitResult(window, limit);
  }

  async #countBatch(batch: readonly Pending<Count, RateLimitResult>[]): Promise<void> {
    const single = batch.filter(({ item }) => item.price === 1);
    if (single.length > 0) {
      const { used: last, resets } = (await this.#add(single[0]!.item.subject, single.length))!;
      let used = last - single.length;
      for (const { item, resolve } of single) resolve(rateLimitResult({ used: ++used, resets }, item.limit));
    }
    for (const { item, resolve } of batch) if (item.price > 1) resolve(await this.#countDear(item));
  }

  async #countDear({ subject, limit, price }: Count): Promise<RateLimitResult> {
    const window = price > limit ? undefined : await this.#add(subject, price, limit);
    return window ? rateLimitResult(window, limit) : { ...(await this.peek(subject, limit)), allowed: false };
  }

  /** @returns undefined if more than `most` requests would be counted then, and none is */
  async #add(subject: string, count: number, most?: number): Promise<Window | undefined> {
    const now = this.#clock.now();
    const statement = sql`
      insert into rate_limits (subject, used, resets) values (${subject}, ${count}, ${now + WINDOW_MS})
      on conflict (subject) do update set
        used = case when rate_limits.resets <= ${now} then excluded.used else rate_limits.used + excluded.used end,
        resets = case when rate_limits.resets <= ${now} then excluded.resets else rate_limits.resets end
      where rate_limits.resets <= ${now} or rate_limits.used <= ${(most ?? Number.MAX_SAFE_INTEGER) - count}
      returning used, resets`;
    // On SQLite a commit blocks the event loop for the disk unless it is not durable. On PostgreSQL that takes a
    // transaction of four round trips instead of one statement.
    return this.#db.remote
      ? await this.#db.get<Window>(statement)
      : await this.#db.transaction((tx) => tx.get<Window>(statement), { durable: false });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#batches.idle();
  }
}

/**
 * Opens the rate limiter that the setting `COUNTERS` chooses.
 * @param prefix the beginning of the subjects that this limiter counts; services with different subjects open their own
 */
export async function openRateLimiter(
  { config, db, clock }: Pick<AppContext, 'config' | 'db' | 'clock'>,
  saveFailed: (error: unknown) => void,
  prefix = '',
): Promise<MemoryRateLimiter | SharedRateLimiter> {
  return config.COUNTERS === 'database'
    ? new SharedRateLimiter(db, clock)
    : await MemoryRateLimiter.open(db, clock, saveFailed, MAX_SUBJECTS, prefix);
}
