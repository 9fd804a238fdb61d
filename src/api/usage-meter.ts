import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import { addUsage, HOUR_MS, type Usage } from '#store/applications/usage.ts';
import type { Caller } from './auth/callers.ts';

/** Seldom, since on SQLite every commit makes the data API let go of what it keeps ready. */
const SAVE_EVERY_MS = 10_000;

/**
 * Counts how the data API is used: in memory while requests are answered, added to the database every few seconds and at
 * the end. What several processes count adds up.
 */
export class UsageMeter implements AsyncDisposable {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  #hour = 0;
  /** Of the hour under way, by application and endpoint. */
  #current = new Map<number, Map<string, Usage>>();
  /** Of hours that have ended, and what could not be written. */
  #past: Usage[] = [];
  #lastUses = new Map<number, number>();
  /** By person, then by Client ID. */
  #reads = new Map<string, Map<string, number>>();

  constructor(db: Db, clock: Clock, saveFailed: (error: unknown) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#timer = setInterval(() => void this.save().catch(saveFailed), SAVE_EVERY_MS).unref();
  }

  /** @param endpoint the path as its row writes it; empty where there is none */
  count(caller: Caller, endpoint: string, status: number): void {
    const now = this.#clock.now();
    const { key, client_id } = caller.application;
    const usage = this.#usageOf(key, endpoint, now);
    usage.requests++;
    if (status === 429) usage.limited++;
    else if (status >= 500) usage.server_errors++;
    else if (status >= 400) usage.client_errors++;
    this.#lastUses.set(key, now);
    if (caller.kind === 'user' && status < 400) this.#noteRead(caller.accountId, client_id, now);
  }

  #usageOf(application_key: number, endpoint: string, now: number): Usage {
    const hour = now - (now % HOUR_MS);
    if (hour !== this.#hour) this.#turn(hour);
    let endpoints = this.#current.get(application_key);
    if (endpoints === undefined) this.#current.set(application_key, (endpoints = new Map()));
    let usage = endpoints.get(endpoint);
    if (usage === undefined) {
      usage = { application_key, hour, endpoint, requests: 0, client_errors: 0, limited: 0, server_errors: 0 };
      endpoints.set(endpoint, usage);
    }
    return usage;
  }

  #turn(hour: number): void {
    for (const endpoints of this.#current.values()) this.#past.push(...endpoints.values());
    this.#current = new Map();
    this.#hour = hour;
  }

  #noteRead(accountId: string, clientId: string, now: number): void {
    let reads = this.#reads.get(accountId);
    if (reads === undefined) this.#reads.set(accountId, (reads = new Map()));
    reads.set(clientId, now);
  }

  /** Writes what was counted; what could not be written is tried again the next time. */
  async save(): Promise<void> {
    this.#turn(this.#hour);
    const [counted, lastUses, people] = [this.#past, this.#lastUses, this.#reads];
    if (counted.length === 0) return;
    [this.#past, this.#lastUses, this.#reads] = [[], new Map(), new Map()];
    const reads = [...people].flatMap(([account_id, clients]) =>
      [...clients].map(([client_id, last]) => ({ account_id, client_id, last })),
    );
    try {
      await addUsage(this.#db, counted, lastUses, reads);
    } catch (error) {
      this.#past.push(...counted);
      for (const [key, last] of lastUses) if (!this.#lastUses.has(key)) this.#lastUses.set(key, last);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.save();
  }
}
