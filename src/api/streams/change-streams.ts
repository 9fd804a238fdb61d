import type { Writable } from 'node:stream';
import { systemClock } from '#platform/clock.ts';
import type { AppContext } from '#context/context.ts';
import { EventStreams } from '#http/event-stream.ts';
import { readFeed } from '#store/game/changes.ts';
import { Callers } from '../callers.ts';
import { depsOf } from '../deps.ts';
import type { StreamHost, StreamOrder } from '../open-streams.ts';
import { StreamAuthorization } from './authorization.ts';
import { FeedGroup, type Subscriber, replay, placeEvent } from './feed-group.ts';
import { streamMetrics, StreamCounts } from './metrics.ts';
import { PresenceEvents } from './presence-events.ts';

/** How often the head of the feed is read while somebody follows. */
const POLL_MS = 100;
/** Changes within this time leave in one write. */
const BATCH_MS = 50;

type Context = Pick<AppContext, 'config' | 'db' | 'clock' | 'log' | 'metrics'>;

/** Sends the changes of the feed to the streams of one thread, those of the past and then each when it happens. */
export class ChangeStreams implements StreamHost {
  readonly #context: Context;
  readonly #deps: ReturnType<typeof depsOf>;
  readonly #streams: EventStreams;
  readonly #metrics;
  readonly #presence: PresenceEvents;
  readonly #authorization: StreamAuthorization;
  readonly #counts: StreamCounts;
  readonly #subscribers = new Set<Subscriber>();
  readonly #groups = new Map<string, FeedGroup>();
  /** The end of the last replay of a subject. */
  readonly #replays = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  #isPolling = false;
  #isFailing = false;
  /** The version of the database and the feed at the last poll; undefined if the next one has to send. */
  #seen: { version: number | undefined; feed: string; head: number } | undefined;

  constructor(context: Context) {
    const { config, db, clock, metrics } = context;
    this.#context = context;
    this.#deps = depsOf(context);
    this.#streams = new EventStreams(clock);
    this.#metrics = streamMetrics(metrics, clock, () => this.#subscribers.size);
    this.#counts = new StreamCounts(context);
    this.#presence = new PresenceEvents(this.#deps, this.#metrics);
    this.#authorization = new StreamAuthorization(db, clock, new Callers(db.shortReads, clock, config.NETWORK_NAME));
  }

  /** The first and the last parameter are those of `EventStream`. */
  async follow(out: Writable, order: StreamOrder, hasChunks = false): Promise<void> {
    const stream = this.#streams.add(out, hasChunks);
    const subscriber = { stream, order };
    this.#subscribers.add(subscriber);
    this.#authorization.add(subscriber);
    this.#counts.add(order, 1);
    const group = this.#groupOf(order);
    group.members.add(subscriber);
    stream.send(placeEvent(this.#deps, order.from));
    if (order.presence) this.#presence.add(stream);
    this.#begin(subscriber, group);
    void this.#poll();
    await stream.closed;
    this.#subscribers.delete(subscriber);
    this.#authorization.delete(subscriber);
    this.#counts.add(order, -1);
    this.#presence.delete(stream);
    group.leave(subscriber);
    if (group.members.size === 0 && this.#groups.get(groupKey(order)) === group) this.#groups.delete(groupKey(order));
  }

  stop(): void {
    this.#stop.abort();
    this.#streams[Symbol.dispose]();
  }

  #groupOf(order: StreamOrder): FeedGroup {
    return this.#groups.getOrInsertComputed(groupKey(order), () => {
      // Its place may be behind what the last poll has seen.
      this.#seen = undefined;
      const place = { feed: order.from.feed, number: order.head };
      return new FeedGroup(this.#deps, this.#metrics, order.kinds, place);
    });
  }

  /** Who has to read the past waits for the other streams of its subject that do. */
  #begin(subscriber: Subscriber, group: FeedGroup): void {
    const { order, stream } = subscriber;
    if (order.from.number === group.place.number) return group.join(subscriber);
    const { clock, log } = this.#context;
    const deps = { ...this.#deps, clock, metrics: this.#metrics };
    const before = this.#replays.get(order.subject);
    const replayed = async (): Promise<void> => {
      await before;
      await replay(deps, subscriber, group).catch((error: unknown) => {
        log.error({ err: error }, 'a stream failed');
        stream.end();
      });
      if (this.#replays.get(order.subject) === ended) this.#replays.delete(order.subject);
    };
    const ended = replayed();
    this.#replays.set(order.subject, ended);
  }

  /** Polls as long as somebody follows. */
  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    while (this.#subscribers.size > 0 && !this.#stop.signal.aborted) {
      await this.#tick();
      await systemClock.wait(POLL_MS, this.#stop.signal);
    }
    if (!this.#stop.signal.aborted) await this.#tick();
    this.#isPolling = false;
    if (this.#subscribers.size > 0 && !this.#stop.signal.aborted) void this.#poll();
  }

  async #tick(): Promise<void> {
    try {
      if (await this.#hasMoved()) await this.#advance();
      await this.#presence.tick();
      await this.#authorization.tick();
      await this.#counts.tick();
      this.#isFailing = false;
    } catch (error) {
      this.#seen = undefined;
      // Its database is closed with the streams.
      if (!this.#isFailing && !this.#stop.signal.aborted)
        this.#context.log.error({ err: error }, 'the streams of changes failed');
      this.#isFailing = true;
    }
  }

  /** On SQLite the version of the file says whether there was a commit; on PostgreSQL the head is read, one row. */
  async #hasMoved(): Promise<boolean> {
    const { anything: version } = this.#context.db.versions();
    const before = this.#seen;
    if (before !== undefined && version !== undefined && version === before.version) return false;
    const { id: feed, head } = await readFeed(this.#deps.db);
    // A group that was added meanwhile has to be read.
    const isKnown = before !== undefined && before === this.#seen;
    this.#seen = { version, feed, head };
    return !isKnown || before.feed !== feed || before.head !== head;
  }

  async #advance(): Promise<void> {
    await systemClock.wait(BATCH_MS, this.#stop.signal);
    for (const group of [...this.#groups.values()]) await group.advance();
  }
}

/** Subscribers of another feed are in another group: theirs is ended by a reset. */
const groupKey = ({ kinds, from }: StreamOrder): string => `${from.feed} ${kinds.join()}`;
