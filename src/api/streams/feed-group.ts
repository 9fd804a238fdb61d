import { setImmediate as turn } from 'node:timers/promises';
import { sendToAll } from '#http/event-stream.ts';
import { type Cursor, resetReason } from '#store/game/change-cursors.ts';
import { type Change, changesWithFeed, type Feed, type ResourceKind } from '#store/game/changes.ts';
import { changeEvents, endByReset, type EventDeps } from './change-events.ts';
import type { Subscriber } from './subscribers.ts';
import type { StreamMetrics } from './metrics.ts';

/** Maximum changes of one write, some 50 KB. */
export const PAGE = 200;

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

  /** The changes after a place, with the place after them. Gives a turn to other work, because SQLite's reads do not wait. */
  async read({ number }: Cursor): Promise<{ feed: Feed; changes: Change[]; end: number; more: boolean }> {
    await turn();
    const { feed, changes } = await changesWithFeed(this.#deps.db, number, PAGE + 1, this.#kinds);
    const more = changes.length > PAGE;
    const shown = more ? changes.slice(0, PAGE) : changes;
    return { feed, changes: shown, end: more ? shown.at(-1)!.number : feed.head, more };
  }
}
