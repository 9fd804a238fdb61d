import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import { addUsage, HOUR_MS, type LastUse, type PersonalRead, type Usage } from '#store/applications/usage.ts';
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
  readonly #usage = new Unsaved<Usage>(
    ({ application_key, hour, endpoint }) => `${application_key} ${hour} ${endpoint}`,
    (sum, { requests, client_errors, limited, server_errors }) => {
      sum.requests += requests;
      sum.client_errors += client_errors;
      sum.limited += limited;
      sum.server_errors += server_errors;
    },
  );
  readonly #lastUses = new Unsaved<LastUse>(({ application_key }) => `${application_key}`, toLater);
  readonly #reads = new Unsaved<PersonalRead>(({ account_id, client_id }) => `${account_id} ${client_id}`, toLater);

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
    const { key: application_key, client_id } = caller.application;
    this.#usage.add({
      application_key,
      hour: now - (now % HOUR_MS),
      endpoint,
      requests: 1,
      client_errors: Number(status >= 400 && status < 500 && status !== 429),
      limited: Number(status === 429),
      server_errors: Number(status >= 500),
    });
    this.#lastUses.add({ application_key, last: now });
    if (caller.kind === 'user' && status < 400) this.#reads.add({ account_id: caller.accountId, client_id, last: now });
  }

  /** Adds the counters to the database. If that fails, the next call adds them. */
  async save(): Promise<void> {
    const [usage, lastUses, reads] = [this.#usage.take(), this.#lastUses.take(), this.#reads.take()];
    if (usage.length === 0) return;
    try {
      await addUsage(this.#db, usage, lastUses, reads);
    } catch (error) {
      for (const row of usage) this.#usage.add(row);
      for (const row of lastUses) this.#lastUses.add(row);
      for (const row of reads) this.#reads.add(row);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.save();
  }
}

/** Rows that are not saved yet, merged by key: a statement that adds rows must not have two of the same key. */
class Unsaved<Row> {
  readonly #keyOf: (row: Row) => string;
  readonly #merge: (into: Row, row: Row) => void;
  #rows = new Map<string, Row>();

  constructor(keyOf: (row: Row) => string, merge: (into: Row, row: Row) => void) {
    this.#keyOf = keyOf;
    this.#merge = merge;
  }

  add(row: Row): void {
    const key = this.#keyOf(row);
    const into = this.#rows.get(key);
    if (into === undefined) this.#rows.set(key, row);
    else this.#merge(into, row);
  }

  take(): Row[] {
    const rows = [...this.#rows.values()];
    this.#rows = new Map();
    return rows;
  }
}

function toLater(into: { last: number }, { last }: { last: number }): void {
  into.last = Math.max(into.last, last);
}
