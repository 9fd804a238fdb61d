import { type Batcher, batcher, type Pending } from '#platform/streams/turns.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import { Unavailable } from '#platform/errors.ts';
import type { Log } from '#platform/process/log.ts';
import { counter, DURATION_BUCKETS, gauge, histogram, type Metrics } from '#platform/process/metrics.ts';
import type { Db } from '#db/db.ts';
import { BusyTime, type EventQueue, type IngestOptions, MAX_QUEUED, NewPlayerLimit } from './event-queue.ts';
import { FairGroups } from './fair-groups.ts';
import type { Item } from './prepare.ts';
import { ingestItems } from './ingest-events.ts';
import { problemOf } from '../schema/problems.ts';
import { rejectedFor, type Receipt } from '../ledger/receipts.ts';

interface GroupCommitDeps {
  db: Db;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** Left out: no limits. */
  config?: Pick<Config, 'NEW_PLAYERS_LIMIT'>;
}

type PendingRequest = Pending<readonly Item[], Receipt[]>;

/**
 * Group commit: the events of waiting requests share one transaction and one fsync, and each request gets its receipts
 * after the commit. A group that fails is retried request by request, and a request that fails event by event, so that an
 * event that cannot be stored blocks no other.
 */
export class GroupCommitQueue implements EventQueue {
  readonly #deps: GroupCommitDeps;
  readonly #newPlayers: NewPlayerLimit;
  readonly #groups: Batcher<readonly Item[], Receipt[]>;
  #waitingEvents = 0;
  /** `performance.now()` of the arrival of each waiting request, oldest first. */
  readonly #arrivals = new Map<readonly Item[], number>();
  readonly #busy = new BusyTime();
  readonly #metrics: ReturnType<typeof queueMetrics>;

  constructor(deps: GroupCommitDeps) {
    this.#deps = deps;
    this.#newPlayers = new NewPlayerLimit(deps.config?.NEW_PLAYERS_LIMIT ?? 0);
    this.#metrics = queueMetrics(deps.metrics, this);
    const fair = new FairGroups();
    this.#groups = batcher({ run: (group) => this.#write(group), choose: (waiting) => fair.next(waiting) });
  }

  get waitingEvents(): number {
    return this.#waitingEvents;
  }

  /** How long the oldest waiting request has waited, in milliseconds; 0 if none waits. */
  get oldestWaitMs(): number {
    const [oldest] = this.#arrivals.values();
    return oldest === undefined ? 0 : performance.now() - oldest;
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
    this.#arrivals.set(items, performance.now());
    this.#waitingEvents += items.length;
    this.#busy.begin();
    return this.#groups.add(items);
  }

  async close(): Promise<void> {
    await this.#groups.idle();
  }

  async #write(group: readonly PendingRequest[]): Promise<void> {
    for (const { item } of group) {
      this.#arrivals.delete(item);
      this.#waitingEvents -= item.length;
    }
    await this.#commitGroup(group);
    if (this.#arrivals.size === 0) this.#busy.end();
  }

  async #commitGroup(group: readonly PendingRequest[]): Promise<void> {
    try {
      const receipts = await this.#store(group.flatMap(({ item }) => item));
      let start = 0;
      for (const { item, resolve } of group) resolve(receipts.slice(start, (start += item.length)));
    } catch (error) {
      if (error instanceof Unavailable) for (const { reject } of group) reject(error);
      else if (group.length > 1) for (const request of group) await this.#commitGroup([request]);
      else await this.#commitEach(group[0]!, error);
    }
  }

  async #commitEach({ item: items, resolve, reject }: PendingRequest, error: unknown): Promise<void> {
    try {
      const [only, ...others] = items;
      if (others.length === 0) return resolve([this.#reject(only!, error)]);
      const receipts: Receipt[] = [];
      for (const item of items) {
        receipts.push(...(await this.#store([item]).catch((error: unknown) => [this.#reject(item, error)])));
      }
      resolve(receipts);
    } catch (error) {
      reject(error);
    }
  }

  async #store(items: readonly Item[], dryRun = false): Promise<Receipt[]> {
    const started = performance.now();
    const { db, clock } = this.#deps;
    const receipts = await ingestItems(db, clock, items, { dryRun, newPlayers: this.#newPlayers });
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
    this.#deps.log.error({ err: error, event: { id, type } }, 'an event could not be stored');
    const predicate = 'could not be stored because of an internal error; the operator finds details in the log';
    return rejectedFor(id, [problemOf(predicate, '')], true);
  }
}

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
