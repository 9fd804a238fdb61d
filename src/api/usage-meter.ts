import type { AppContext } from '#context/context.ts';
import type { PlayerRead } from '#store/applications/account-reads.ts';
import {
  addUsage,
  HOUR_MS,
  type LastUse,
  type PersonalRead,
  STORED_EVERY_MS,
  type Usage,
} from '#store/applications/usage.ts';
import { type BucketsAt, bucketsIn } from '#store/game/time-buckets.ts';
import type { Caller } from './callers.ts';

/**
 * Counts the requests of each application and endpoint, and whose data they read. Counts in memory, and adds to the counters in the database every
 * ten seconds and on close, so that several processes may count at the same time.
 */
export class UsageMeter implements AsyncDisposable {
  readonly #db: AppContext['db'];
  readonly #clock: AppContext['clock'];
  readonly #bucketsAt: BucketsAt;
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
  readonly #personalReads = new Unsaved<PersonalRead>(
    ({ account_id, client_id }) => `${account_id} ${client_id}`,
    toLater,
  );
  readonly #playerReads = new Unsaved<PlayerRead>(
    ({ uuid, day, application_key }) => `${uuid} ${day} ${application_key}`,
    (sum, { requests }) => {
      sum.requests += requests;
    },
  );

  constructor(
    { db, clock, config }: Pick<AppContext, 'db' | 'clock' | 'config'>,
    saveFailed: (error: unknown) => void,
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#bucketsAt = bucketsIn(config.TIME_ZONE);
    this.#timer = setInterval(() => void this.save().catch(saveFailed), STORED_EVERY_MS).unref();
  }

  /**
   * Counts a request of an application; those of game servers belong to no application.
   * @param endpoint the path of the endpoint, with `:id`; empty if the request matched none
   * @param about the UUIDs of the players whose data the response has
   */
  count(caller: Caller, endpoint: string, status: number, about: readonly string[] = []): void {
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
    if (caller.kind === 'user' && status < 400)
      this.#personalReads.add({ account_id: caller.accountId, client_id, last: now });
    for (const uuid of about)
      this.#playerReads.add({ uuid, day: this.#bucketsAt(now).day, application_key, requests: 1 });
  }

  /** Adds the counters to the database. If that fails, the next call adds them. */
  async save(): Promise<void> {
    const counted = {
      usage: this.#usage.take(),
      lastUses: this.#lastUses.take(),
      personalReads: this.#personalReads.take(),
      playerReads: this.#playerReads.take(),
    };
    if (counted.usage.length === 0) return;
    try {
      await addUsage(this.#db, counted);
    } catch (error) {
      for (const row of counted.usage) this.#usage.add(row);
      for (const row of counted.lastUses) this.#lastUses.add(row);
      for (const row of counted.personalReads) this.#personalReads.add(row);
      for (const row of counted.playerReads) this.#playerReads.add(row);
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
    const into = this.#rows.getOrInsert(this.#keyOf(row), row);
    if (into !== row) this.#merge(into, row);
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
