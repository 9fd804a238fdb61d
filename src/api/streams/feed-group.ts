import { setImmediate as turn } from 'node:timers/promises';
import { sendToAll, type EventStream, EventBytes, eventText } from '#http/event-stream.ts';
import { type Cursor, resetReason, cursorAfter, type ResetReason } from '#store/game/change-cursors.ts';
import { type Change, changesWithFeed, type ResourceKind } from '#store/game/changes.ts';
import type { StreamMetrics } from './metrics.ts';
import type { StreamOrder } from '../open-streams.ts';
import type { TimerClock } from '#platform/clock.ts';
import { changeItem } from '#http/change-item.ts';
import type { HttpError } from '#http/errors.ts';
import { ResetRequired } from '../changes.ts';
import type { Deps } from '../endpoint.ts';

type EventDeps = Pick<Deps, 'db' | 'cursors' | 'timestamp' | 'api'>;

/** An open stream and what it sends. */
export interface Subscriber {
  stream: EventStream;
  order: StreamOrder;
}

/** Maximum changes of one write, some 50 KB. */
const PAGE = 200;
/** How long a client may take to read a page. */
const MAX_STALL_MS = 30_000;

/** The subscribers of the same kinds of resources, which receive the same bytes. */
export class FeedGroup {
  /** Subscribers of the present, and those that still read the past. */
  readonly members = new Set<Subscriber>();
  readonly #deps: EventDeps;
  readonly #metrics: StreamMetrics;
  readonly #kinds: readonly ResourceKind[];
  readonly #present = new Set<Subscriber>();
  /** The subscribers of the present have every change up to it. */
  #place: Cursor;
  #advancing: Promise<void> = Promise.resolve();

  constructor(deps: EventDeps, metrics: StreamMetrics, kinds: readonly ResourceKind[], place: Cursor) {
    this.#deps = deps;
    this.#metrics = metrics;
    this.#kinds = kinds;
    this.#place = place;
  }

  get place(): Cursor {
    return this.#place;
  }

  /** Adds a subscriber that has every change up to the place of the group, unless it has left. */
  join(subscriber: Subscriber): void {
    if (this.members.has(subscriber)) this.#present.add(subscriber);
  }

  leave(subscriber: Subscriber): void {
    this.#present.delete(subscriber);
    this.members.delete(subscriber);
  }

  /** Sends what has changed. Calls run one after the other, so that changes are sent in their order. */
  async advance(): Promise<void> {
    const advanced = this.#advancing.then(() => this.#advance());
    this.#advancing = advanced.catch(() => undefined);
    await advanced;
  }

  async #advance(): Promise<void> {
    for (let more = true; more;) {
      const from = this.#place;
      const page = await this.read(from);
      const reason = resetReason(from, page.feed);
      // From here to the new place nothing waits: a subscriber joins before, and receives these changes, or after them.
      const receivers = [...this.#present];
      if (reason !== undefined) return receivers.forEach(({ stream }) => endByReset(stream, reason));
      if (!page.feed.isFilled) return;
      this.#place = { feed: from.feed, number: page.end };
      if (page.changes.length > 0) await this.#send(receivers, from, page.changes);
      more = page.more;
    }
  }

  async #send(receivers: readonly Subscriber[], from: Cursor, changes: readonly Change[]): Promise<void> {
    if (receivers.length === 0) return;
    const bytes = changeEvents(this.#deps, from, changes);
    this.#metrics.sent('change', changes.length * receivers.length);
    this.#metrics.changed(changes[0]!.time);
    await sendToAll(
      receivers.map(({ stream }) => stream),
      bytes,
    );
  }

  /** The changes after a place. Gives a turn to other work, because SQLite's reads do not wait. */
  async read({ number }: Cursor) {
    await turn();
    return await changesWithFeed(this.#deps.db, number, PAGE, this.#kinds);
  }
}

/** Sends what has changed since the place of a subscriber, as fast as its client reads, until it joins the group. */
export async function replay(
  deps: EventDeps & { clock: TimerClock; metrics: StreamMetrics },
  subscriber: Subscriber,
  group: FeedGroup,
): Promise<void> {
  const { stream, order } = subscriber;
  let place = order.from;
  while (stream.isOpen) {
    if (place.number > group.place.number) await group.advance();
    if (place.number === group.place.number) return group.join(subscriber);
    const page = await group.read(place);
    const reason = resetReason(place, page.feed);
    if (reason !== undefined) return endByReset(stream, reason);
    if (page.changes.length > 0) {
      stream.send(changeEvents(deps, place, page.changes));
      deps.metrics.sent('change', page.changes.length);
      await readInTime(deps.clock, subscriber);
    }
    place = cursorAfter(place, page.end);
  }
}

async function readInTime(clock: TimerClock, { stream }: Subscriber): Promise<void> {
  const stop = new AbortController();
  const stalled = clock.wait(MAX_STALL_MS, stop.signal).then(() => !stop.signal.aborted && stream.endSlow());
  await Promise.race([stream.drained(), stalled]);
  stop.abort();
}

/** The changes after a cursor as events. */
function changeEvents(deps: EventDeps, from: Cursor, changes: readonly Change[]): EventBytes {
  const events = changes.map((change) =>
    eventText({
      id: deps.cursors.write(cursorAfter(from, change.number)),
      event: 'change',
      data: JSON.stringify(changeItem(deps, change)),
    }),
  );
  return new EventBytes(events.join(''));
}

/** Lets the client continue from a place at which it has received nothing yet. */
export const placeEvent = ({ cursors }: EventDeps, place: Cursor): string => `id: ${cursors.write(place)}\n\n`;

function endByReset(stream: EventStream, reason: ResetReason): void {
  stream.end({ event: 'reset', data: new ResetRequired(reason).body });
}

export function endUnauthorized(stream: EventStream, { body }: HttpError): void {
  stream.end({ event: 'unauthorized', data: body });
}
