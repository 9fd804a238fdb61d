import { idOf } from '#platform/ids.ts';
import { EventBytes, type EventStream, eventText, sendToAll } from '#http/event-stream.ts';
import { listLiveMatches } from '#store/game/live-matches.ts';
import { listServers } from '#store/game/servers.ts';
import { type Deps, presenceSince } from '../endpoint.ts';
import { listedJson } from '../live-matches.ts';
import { wire } from '../servers.ts';
import type { StreamMetrics } from './metrics.ts';

/** A server has at most one event of each kind in this time. */
const INTERVAL_MS = 1_000;

/** The presence on servers and the running matches, as their endpoints give them, without hidden players. */
export class PresenceEvents {
  readonly #deps: Deps;
  readonly #metrics: StreamMetrics;
  readonly #streams = new Set<EventStream>();
  /** Streams that have received the present state. */
  readonly #present = new Set<EventStream>();
  /** The last event of each server and kind. */
  #last = new Map<string, string>();
  #lastSent = 0;

  constructor(deps: Deps, metrics: StreamMetrics) {
    this.#deps = deps;
    this.#metrics = metrics;
  }

  /** Adds a stream, which first receives the present state. */
  add(stream: EventStream): void {
    this.#streams.add(stream);
  }

  delete(stream: EventStream): void {
    this.#streams.delete(stream);
    this.#present.delete(stream);
  }

  /** Sends what has changed, unless that was less than a second ago. */
  async tick(): Promise<void> {
    const now = this.#deps.clock.now();
    if (this.#streams.size === 0 || now - this.#lastSent < INTERVAL_MS) return;
    this.#lastSent = now;
    const before = this.#last;
    this.#last = await this.#read(before);
    const changed = [...this.#last].filter(([key, event]) => before.get(key) !== event);
    await this.#send([...this.#present], changed);
    const added = [...this.#streams].filter((stream) => !this.#present.has(stream));
    await this.#send(added, [...this.#last]);
    for (const stream of added) if (this.#streams.has(stream)) this.#present.add(stream);
  }

  async #send(
    streams: readonly EventStream[],
    events: readonly (readonly [key: string, event: string])[],
  ): Promise<void> {
    if (streams.length === 0 || events.length === 0) return;
    for (const kind of ['presence', 'live'] as const)
      this.#metrics.sent(kind, events.filter(([key]) => key.startsWith(kind)).length * streams.length);
    await sendToAll(streams, new EventBytes(events.map(([, event]) => event).join('')));
  }

  async #read(before: ReadonlyMap<string, string>): Promise<Map<string, string>> {
    const since = presenceSince(this.#deps);
    const [servers, matches] = await Promise.all([
      listServers(this.#deps.db, since),
      listLiveMatches(this.#deps.db, since),
    ]);
    const found = new Map<string, string>();
    for (const server of servers)
      found.set(`presence ${server.key}`, eventText({ event: 'presence', data: JSON.stringify(wire(server)) }));
    for (const match of matches)
      found.set(`live ${match.serverKey}`, eventText({ event: 'live', data: listedJson(this.#deps, match) }));
    // A match that is no longer in the list ends with one event.
    for (const server of servers) {
      const key = `live ${server.key}`;
      const ended = endedEvent(server);
      if (!found.has(key) && before.has(key) && before.get(key) !== ended) found.set(key, ended);
    }
    return found;
  }
}

const endedEvent = ({ key, name }: { key: number; name: string }): string =>
  eventText({ event: 'live', data: JSON.stringify({ server: name, server_id: idOf(key), phase: 'ended' }) });
