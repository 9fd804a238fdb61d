import { setImmediate } from 'node:timers/promises';
import { BusyTime } from '#platform/busy-time.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { Unavailable } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import { counter, DURATION_BUCKETS, gauge, histogram, type Metrics } from '#platform/metrics.ts';
import type { Db } from '#db/db.ts';
import {
  type EventQueue,
  type IngestOptions,
  type Item,
  MAX_GROUP_WEIGHT,
  MAX_QUEUED,
  totalWeight,
} from './event-queue.ts';
import { ingestItems } from './ledger.ts';
import { NewPlayerLimit } from './checks/new-players.ts';
import { problemOf } from './schema/problems.ts';
import { rejectedFor, type Receipt } from './receipts.ts';

interface GroupCommitDeps {
  db: Db;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** Left out: no limits. */
  config?: Pick<Config, 'NEW_PLAYERS_LIMIT'>;
}

interface WaitingRequest {
  items: readonly Item[];
  /** `performance.now()` of its arrival. */
  since: number;
  settle: (receipts: Receipt[]) => void;
  fail: (error: unknown) => void;
}

/** Maximum events of one transaction. A single request may exceed it, and `MAX_GROUP_WEIGHT`. */
const MAX_GROUP_SIZE = 256;
/**
 * While at most `SHORT_QUEUE` events wait, a transaction takes half of them, but at least `MIN_GROUP_SIZE`. The rest is
 * written while the first half is answered. If one transaction took them all, their senders would wait for it together and
 * send their next events together, and the database would be idle in between.
 */
const SHORT_QUEUE = 64;
const MIN_GROUP_SIZE = 16;
/**
 * Group commit: the events of all waiting requests share one transaction and one fsync, and each request gets its receipts
 * after the commit. A group that fails is retried request by request, and a request that fails event by event, so that an
 * event that cannot be stored blocks no other.
 */
export class GroupCommitQueue implements EventQueue {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #newPlayers: NewPlayerLimit;
  #waiting: WaitingRequest[] = [];
  /** Events in `#waiting`. */
  #waitingEvents = 0;
  readonly #busy = new BusyTime();
  readonly #metrics: ReturnType<typeof queueMetrics>;
  #running: Promise<void> | undefined;

  constructor({ db, clock, log, metrics, config }: GroupCommitDeps) {
    this.#db = db;
    this.#newPlayers = new NewPlayerLimit(config?.NEW_PLAYERS_LIMIT ?? 0);
    this.#clock = clock;
    this.#log = log;
    this.#metrics = queueMetrics(metrics, this);
  }

  get waitingEvents(): number {
    return this.#waitingEvents;
  }

  /** How long the oldest waiting request has waited, in milliseconds; 0 if none waits. */
  get oldestWaitMs(): number {
    const oldest = this.#waiting[0];
    return oldest === undefined ? 0 : performance.now() - oldest.since;
  }

  get isFull(): boolean {
    return this.#waitingEvents >= MAX_QUEUED;
  }

  get busyMs(): number {
    return this.#busy.ms;
  }

  accept(items: readonly Item[], options: IngestOptions = {}): Promise<Receipt[]> {
    // A dry run rolls its transaction back, so it cannot share one with events that are stored.
    if (options.dryRun) return this.#store(items, true);
    const { promise, resolve, reject } = Promise.withResolvers<Receipt[]>();
    this.#waiting.push({ items, since: performance.now(), settle: resolve, fail: reject });
    this.#waitingEvents += items.length;
    this.#running ??= this.#run();
    return promise;
  }

  async close(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    this.#busy.begin();
    // The turn of the event loop lets other requests join the group.
    for (await setImmediate(); this.#waiting.length > 0; await setImmediate()) {
      const group = this.#nextGroup();
      this.#waitingEvents -= sizeOf(group);
      await this.#commitGroup(group);
    }
    this.#running = undefined;
    this.#busy.end();
  }

  /** Removes the oldest requests, whole ones, from the queue for one transaction. */
  #nextGroup(): WaitingRequest[] {
    const waiting = this.#waitingEvents;
    const limit = waiting > SHORT_QUEUE ? MAX_GROUP_SIZE : Math.max(MIN_GROUP_SIZE, waiting / 2);
    let size = 0;
    let weight = 0;
    let end = 0;
    while (end < this.#waiting.length && (end === 0 || size < limit)) {
      const { items } = this.#waiting[end]!;
      weight += totalWeight(items);
      if (end > 0 && weight > MAX_GROUP_WEIGHT) break;
      size += items.length;
      end++;
    }
    return this.#waiting.splice(0, end);
  }

  async #commitGroup(group: WaitingRequest[]): Promise<void> {
    try {
      const receipts = await this.#store(group.flatMap(({ items }) => items));
      let start = 0;
      for (const { items, settle } of group) settle(receipts.slice(start, (start += items.length)));
    } catch (error) {
      if (error instanceof Unavailable) for (const { fail } of group) fail(error);
      else if (group.length > 1) for (const request of group) await this.#commitGroup([request]);
      else await this.#commitEach(group[0]!, error);
    }
  }

  async #commitEach({ items, settle, fail }: WaitingRequest, error: unknown): Promise<void> {
    try {
      const [only, ...others] = items;
      if (others.length === 0) return settle([this.#reject(only!, error)]);
      const receipts: Receipt[] = [];
      for (const item of items) {
        receipts.push(...(await this.#store([item]).catch((error: unknown) => [this.#reject(item, error)])));
      }
      settle(receipts);
    } catch (error) {
      fail(error);
    }
  }

  async #store(items: readonly Item[], dryRun = false): Promise<Receipt[]> {
    const started = performance.now();
    const receipts = await ingestItems(this.#db, this.#clock, items, { dryRun, newPlayers: this.#newPlayers });
    if (dryRun) return receipts;
    this.#metrics.commits.observe((performance.now() - started) / 1000);
    for (const [status, { length }] of Map.groupBy(receipts, (receipt) => receipt.status).entries())
      this.#metrics.events.inc({ status }, length);
    return receipts;
  }

  #reject({ checked }: Item, error: unknown): Receipt {
    if (error instanceof Unavailable) throw error;
    if (!('event' in checked)) return checked;
    const { id, type } = checked.event;
    this.#log.error({ err: error, event: { id, type } }, 'an event could not be stored');
    const predicate = 'could not be stored because of an internal error; the operator finds details in the log';
    return rejectedFor(id, [problemOf(predicate, '')], true);
  }
}

const sizeOf = (group: WaitingRequest[]): number => group.reduce((sum, { items }) => sum + items.length, 0);

function queueMetrics(metrics: Metrics, queue: Pick<GroupCommitQueue, 'waitingEvents' | 'oldestWaitMs'>) {
  gauge(metrics, {
    name: 'scorehall_event_queue_events',
    help: 'Events that wait for a transaction',
    collect: (waiting) => waiting.set(queue.waitingEvents),
  });
  gauge(metrics, {
    name: 'scorehall_event_queue_oldest_seconds',
    help: 'How long the oldest waiting events have waited',
    collect: (oldest) => oldest.set(queue.oldestWaitMs / 1000),
  });
  return {
    commits: histogram(metrics, {
      name: 'scorehall_event_commit_duration_seconds',
      help: 'Duration of the transactions that store events',
      buckets: DURATION_BUCKETS,
    }),
    events: counter(metrics, {
      name: 'scorehall_events_total',
      help: 'Events by the status of their receipts',
      labelNames: ['status'],
    }),
  };
}
