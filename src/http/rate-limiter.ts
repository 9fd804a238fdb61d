import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import { join, row, sql } from '#db/sql.ts';

/** How one request stands against its subject's allowance. */
export interface RateLimitResult {
  allowed: boolean;
  limit: number;
  /** What is left after this request. */
  remaining: number;
  /** Epoch milliseconds at which the window ends. */
  resets: number;
}

/**
 * Counts requests in fixed windows of one hour that begin with a subject's first request. A subject is a user, an
 * application or an address. Two worlds: one process that counts in memory, and several that share the database.
 */
export interface RateLimiter extends AsyncDisposable {
  count(subject: string, limit: number): RateLimitResult | Promise<RateLimitResult>;
  /** As the next `take` would find it, counting nothing. */
  peek(subject: string, limit: number): RateLimitResult | Promise<RateLimitResult>;
}

export const WINDOW_MS = 3_600_000;
const SAVE_EVERY_MS = 1_000;
const SAVE_BATCH_SIZE = 64;
/** More subjects than ask within an hour, unless somebody has addresses by the million. */
const MAX_SUBJECTS = 500_000;

interface Window {
  used: number;
  resets: number;
}

function rateLimitResultOf({ used, resets }: Window, limit: number): RateLimitResult {
  return { allowed: used <= limit, limit, remaining: Math.max(0, limit - used), resets };
}

/** How a subject stands that has asked nothing yet. */
export function unusedRateLimit(limit: number, now: number): RateLimitResult {
  return rateLimitResultOf({ used: 0, resets: now + WINDOW_MS }, limit);
}

/** Counters in memory, read from the database at the start and saved every second and at the end. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #most: number;
  readonly #windows = new Map<string, Window>();
  readonly #unsaved = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  private constructor(db: Db, clock: Clock, saveFailed: (error: unknown) => void, most: number) {
    this.#db = db;
    this.#clock = clock;
    this.#most = most;
    this.#timer = setInterval(() => void this.save().catch(saveFailed), SAVE_EVERY_MS).unref();
  }

  /** @param most how many subjects are counted at once; beyond, the one that began the longest ago begins anew */
  static async open(
    db: Db,
    clock: Clock,
    saveFailed: (error: unknown) => void,
    most = MAX_SUBJECTS,
  ): Promise<MemoryRateLimiter> {
    const rateLimiter = new MemoryRateLimiter(db, clock, saveFailed, most);
    const rows = await db.all<Window & { subject: string }>(
      sql`select subject, used, resets from rate_limits where resets > ${clock.now()}
        order by resets desc limit ${most}`,
    );
    for (const { subject, used, resets } of rows.reverse()) rateLimiter.#windows.set(subject, { used, resets });
    return rateLimiter;
  }

  count(subject: string, limit: number): RateLimitResult {
    const now = this.#clock.now();
    let window = this.#windows.get(subject);
    if (window === undefined || window.resets <= now) {
      window = { used: 0, resets: now + WINDOW_MS };
      this.#begin(subject, window);
    }
    window.used++;
    this.#unsaved.add(subject);
    return rateLimitResultOf(window, limit);
  }

  /** Subjects stand in the order in which they began. */
  #begin(subject: string, window: Window): void {
    this.#windows.delete(subject);
    if (this.#windows.size >= this.#most) this.#windows.delete(this.#windows.keys().next().value!);
    this.#windows.set(subject, window);
  }

  peek(subject: string, limit: number): RateLimitResult {
    const now = this.#clock.now();
    const window = this.#windows.get(subject);
    return window !== undefined && window.resets > now ? rateLimitResultOf(window, limit) : unusedRateLimit(limit, now);
  }

  /** Writes what has changed; what could not be written is tried again the next time. */
  async save(): Promise<void> {
    const now = this.#clock.now();
    const subjects = [...this.#unsaved];
    this.#unsaved.clear();
    try {
      for (let start = 0; start < subjects.length; start += SAVE_BATCH_SIZE) {
        await this.#saveSome(subjects.slice(start, start + SAVE_BATCH_SIZE));
      }
    } catch (error) {
      for (const subject of subjects) this.#unsaved.add(subject);
      throw error;
    }
    for (const [subject, { resets }] of this.#windows) if (resets <= now) this.#windows.delete(subject);
  }

  async #saveSome(subjects: string[]): Promise<void> {
    const known = subjects.flatMap((subject) => {
      const window = this.#windows.get(subject);
      return window === undefined ? [] : [row([subject, window.used, window.resets])];
    });
    if (known.length === 0) return;
    await this.#db.run(sql`
      insert into rate_limits (subject, used, resets) values ${join(known)}
      on conflict (subject) do update set used = excluded.used, resets = excluded.resets`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.save();
  }
}

interface Waiting {
  subject: string;
  limit: number;
  settle: (rateLimit: RateLimitResult) => void;
  fail: (error: unknown) => void;
}

/** Counters in the database, for several processes: what one tick of the event loop asks of a subject is one statement. */
export class SharedRateLimiter implements RateLimiter {
  readonly #db: Db;
  readonly #clock: Clock;
  #waiting: Waiting[] = [];

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  count(subject: string, limit: number): Promise<RateLimitResult> {
    if (this.#waiting.length === 0) setImmediate(() => void this.#count());
    const { promise, resolve, reject } = Promise.withResolvers<RateLimitResult>();
    this.#waiting.push({ subject, limit, settle: resolve, fail: reject });
    return promise;
  }

  async peek(subject: string, limit: number): Promise<RateLimitResult> {
    const now = this.#clock.now();
    const window = await this.#db.get<Window>(
      sql`select used, resets from rate_limits where subject = ${subject} and resets > ${now}`,
    );
    return window === undefined ? unusedRateLimit(limit, now) : rateLimitResultOf(window, limit);
  }

  async #count(): Promise<void> {
    const bySubject = Map.groupBy(this.#waiting, ({ subject }) => subject);
    this.#waiting = [];
    await Promise.all([...bySubject].map(([subject, waiting]) => this.#countOne(subject, waiting)));
  }

  async #countOne(subject: string, waiting: Waiting[]): Promise<void> {
    try {
      const { used, resets } = await this.#add(subject, waiting.length);
      const before = used - waiting.length;
      waiting.forEach(({ settle, limit }, place) =>
        settle(rateLimitResultOf({ used: before + place + 1, resets }, limit)),
      );
    } catch (error) {
      for (const { fail } of waiting) fail(error);
    }
  }

  async #add(subject: string, count: number): Promise<Window> {
    const now = this.#clock.now();
    const window = await this.#db.get<Window>(sql`
      insert into rate_limits (subject, used, resets) values (${subject}, ${count}, ${now + WINDOW_MS})
      on conflict (subject) do update set
        used = case when rate_limits.resets <= ${now} then excluded.used else rate_limits.used + excluded.used end,
        resets = case when rate_limits.resets <= ${now} then excluded.resets else rate_limits.resets end
      returning used, resets`);
    return window!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#count();
  }
}
