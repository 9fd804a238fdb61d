import type { Clock } from '#platform/clock.ts';
import { HttpError } from '#http/errors.ts';
import type { EventQueue } from '#events/group-commit.ts';
import type { Item, IngestOptions } from '#events/ledger.ts';
import type { Receipt } from '#events/receipts.ts';

/**
 * Limits what one game server may use of the shared event queue, so that a server which sends without end delays only
 * itself. At most `WINDOW` events of each server are in the event queue; its other events wait here, in order.
 */

/** The most events of one server in the event queue: a few transactions. */
export const WINDOW = 1_024;
/** The most open requests of one server, and the most bytes of their bodies in memory, after decompression. */
export const MAX_REQUESTS = 128;
export const MAX_HELD_BYTES = 128 * 1024 * 1024;
const MINUTE_MS = 60_000;

interface ServerUsage {
  requests: number;
  bytes: number;
  /** Events in the event queue. */
  queuedEvents: number;
  waiting: { count: number; start: () => void }[];
  /** Events received since the current minute began. */
  eventsThisMinute: number;
  /** When the current minute ends, in epoch milliseconds. */
  minuteEnds: number;
}

interface ServerQuotaDeps {
  eventQueue: EventQueue;
  clock: Clock;
  /** The most events a minute of one server; 0 for no limit. */
  perMinute: number;
}

export class ServerQuotas {
  readonly #deps: ServerQuotaDeps;
  readonly #servers = new Map<number, ServerUsage>();

  constructor(deps: ServerQuotaDeps) {
    this.#deps = deps;
  }

  /**
   * Counts a request of a server. The caller disposes of the returned quota when the request ends.
   * @throws HttpError 429 where the server has too many open requests
   */
  open(serverKey: number): ServerQuota {
    let server = this.#servers.get(serverKey);
    if (server === undefined) {
      server = { requests: 0, bytes: 0, queuedEvents: 0, waiting: [], eventsThisMinute: 0, minuteEnds: 0 };
      this.#servers.set(serverKey, server);
    }
    return new ServerQuota(server, this.#deps);
  }
}

/** The quota of a server as one of its requests uses it. */
export class ServerQuota implements Disposable {
  readonly #server: ServerUsage;
  readonly #deps: ServerQuotaDeps;
  /** Bytes of this request. */
  #bytes = 0;

  constructor(server: ServerUsage, deps: ServerQuotaDeps) {
    if (server.requests >= MAX_REQUESTS)
      throw quotaExceeded(`A game server may have ${MAX_REQUESTS} open requests at a time.`, 1);
    server.requests++;
    this.#server = server;
    this.#deps = deps;
  }

  get isFull(): boolean {
    return this.#deps.eventQueue.isFull;
  }

  /**
   * Passes events to the event queue, once there is room for them in the window of the server. Rejects with HttpError 429
   * where the server has sent its events of this minute.
   */
  accept(items: readonly Item[], options?: IngestOptions): Promise<Receipt[]> {
    const refusal = this.#countMinute(items.length);
    if (refusal !== undefined) return Promise.reject(refusal);
    const reserved = this.#reserve(items.length);
    return reserved === undefined ? this.#enqueue(items, options) : reserved.then(() => this.#enqueue(items, options));
  }

  #enqueue(items: readonly Item[], options: IngestOptions | undefined): Promise<Receipt[]> {
    const receipts = this.#deps.eventQueue.accept(items, options);
    // The callback must not hold `items`: the events are large, and should be garbage while their receipts are awaited.
    const { length } = items;
    const release = (): void => this.#release(length);
    receipts.then(release, release);
    return receipts;
  }

  /**
   * Counts bytes of the request's body in memory, until the request ends.
   * @throws HttpError 429 where all requests of the server hold too much
   */
  hold(bytes: number): void {
    this.#bytes += bytes;
    this.#server.bytes += bytes;
    if (this.#server.bytes <= MAX_HELD_BYTES) return;
    throw quotaExceeded(`The open requests of a game server may hold ${MAX_HELD_BYTES / 1024 / 1024} MiB together.`, 1);
  }

  [Symbol.dispose](): void {
    this.#server.requests--;
    this.#server.bytes -= this.#bytes;
  }

  #countMinute(events: number): HttpError | undefined {
    const { clock, perMinute } = this.#deps;
    if (perMinute === 0) return undefined;
    const server = this.#server;
    const now = clock.now();
    if (server.minuteEnds <= now) [server.eventsThisMinute, server.minuteEnds] = [0, now + MINUTE_MS];
    const seconds = Math.ceil((server.minuteEnds - now) / 1000);
    // The first batch of a minute is always accepted: one larger than the limit would otherwise be refused for ever.
    if (server.eventsThisMinute > 0 && server.eventsThisMinute + events > perMinute)
      return quotaExceeded(`A game server may send ${perMinute} events a minute.`, seconds);
    server.eventsThisMinute += events;
    return undefined;
  }

  /**
   * Reserves room in the window: at once (undefined), or when the returned promise resolves. A batch larger than the
   * window waits until the window is empty.
   */
  #reserve(count: number): Promise<void> | undefined {
    const { queuedEvents, waiting } = this.#server;
    if (waiting.length === 0 && (queuedEvents === 0 || queuedEvents + count <= WINDOW)) {
      this.#server.queuedEvents += count;
      return undefined;
    }
    const { promise, resolve: start } = Promise.withResolvers<void>();
    waiting.push({ count, start });
    return promise;
  }

  #release(count: number): void {
    const server = this.#server;
    server.queuedEvents -= count;
    for (let next = server.waiting[0]; next !== undefined; next = server.waiting[0]) {
      if (server.queuedEvents > 0 && server.queuedEvents + next.count > WINDOW) return;
      server.waiting.shift();
      server.queuedEvents += next.count;
      next.start();
    }
  }
}

function quotaExceeded(sentence: string, seconds: number): HttpError {
  return new HttpError(429, 'rate_limit', `${sentence} Send it again later.`, { 'retry-after': String(seconds) });
}
