import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import { addUsage, HOUR_MS, type Usage } from '#store/applications/usage.ts';
import type { Caller } from './callers.ts';

/** Not more often, because on SQLite every commit empties the response cache. */
const SAVE_EVERY_MS = 10_000;

/**
 * Counts the requests of each application and endpoint. Counts in memory, and adds to the counters in the database every
 * ten seconds and on close, so that several processes may count at the same time.
 */
export class UsageMeter implements AsyncDisposable {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  #hour = 0;
  /** The counters of the current hour, by application key, then by endpoint. */
  #current = new Map<number, Map<string, Usage>>();
  /** Unsaved counters of earlier hours and of failed saves. */
  #past: Usage[] = [];
  /** The last request of each application, in epoch milliseconds, by application key. */
  #lastUses = new Map<number, number>();
  /** When an application last read with a user's token, by account id, then by Client ID. */
  #reads = new Map<string, Map<string, number>>();

  constructor(db: Db, clock: Clock, saveFailed: (error: unknown) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#timer = setInterval(() => void this.save().catch(saveFailed), SAVE_EVERY_MS).unref();
  }

  /**
   * Counts a request of an application; those of game servers belong to no application.
   * @param endpoint the path of the endpoint, with `:id`; empty if the request matched none
   */
  count(caller: Caller, endpoint: string, status: number): void {
    if (caller.kind === 'server') return;
    const now = this.#clock.now();
    const { key, client_id } = caller.application;
    const usage = this.#counters(key, endpoint, now);
    usage.requests++;
    if (status === 429) usage.limited++;
    else if (status >= 500) usage.server_errors++;
    else if (status >= 400) usage.client_errors++;
    this.#lastUses.set(key, now);
    if (caller.kind === 'user' && status < 400) this.#noteRead(caller.accountId, client_id, now);
  }

  #counters(application_key: number, endpoint: string, now: number): Usage {
    const hour = now - (now % HOUR_MS);
    if (hour !== this.#hour) this.#startHour(hour);
    let endpoints = this.#current.get(application_key);
    if (endpoints === undefined) this.#current.set(application_key, (endpoints = new Map()));
    let usage = endpoints.get(endpoint);
    if (usage === undefined) {
      usage = { application_key, hour, endpoint, requests: 0, client_errors: 0, limited: 0, server_errors: 0 };
      endpoints.set(endpoint, usage);
    }
    return usage;
  }

  #startHour(hour: number): void {
    for (const endpoints of this.#current.values()) this.#past.push(...endpoints.values());
    this.#current = new Map();
    this.#hour = hour;
  }

  #noteRead(accountId: string, clientId: string, now: number): void {
    let reads = this.#reads.get(accountId);
    if (reads === undefined) this.#reads.set(accountId, (reads = new Map()));
    reads.set(clientId, now);
  }

  /** Adds the counters to the database. If that fails, the next call adds them. */
  async save(): Promise<void> {
    this.#startHour(this.#hour);
    const [counted, lastUses, readsByAccount] = [this.#past, this.#lastUses, this.#reads];
    if (counted.length === 0) return;
    [this.#past, this.#lastUses, this.#reads] = [[], new Map(), new Map()];
    const reads = [...readsByAccount].flatMap(([account_id, clients]) =>
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
