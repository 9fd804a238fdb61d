import type { Clock } from '#platform/clock.ts';
import { HttpError } from '#http/errors.ts';
import type { EventQueue } from '#events/group-commit.ts';
import type { Item, IngestOptions } from '#events/ledger.ts';
import type { Receipt } from '#events/receipts.ts';

/**
 * What one game server may take of what all share, so that one which sends without end holds up nobody but itself. Of each
 * server so many events are handed over to be written; the rest of its own waits behind them, in order.
 */

/** Events of one server that are being written or wait to be: a few transactions. */
export const WINDOW = 1_024;
/** Requests of one server under way, and bytes of them that are held, unpacked. */
export const MAX_REQUESTS = 128;
export const MAX_HELD_BYTES = 128 * 1024 * 1024;
const MINUTE_MS = 60_000;

interface Server {
  deliveries: number;
  bytes: number;
  /** Handed over. */
  events: number;
  waiting: { count: number; go: () => void }[];
  /** Of the minute under way. */
  raw: number;
  resets: number;
}

interface ServerQuotaDeps {
  eventQueue: EventQueue;
  clock: Clock;
  /** Events a minute of one server; 0 for as many as it likes. */
  perMinute: number;
}

export class ServerQuotas {
  readonly #parts: ServerQuotaDeps;
  readonly #servers = new Map<number, Server>();

  constructor(parts: ServerQuotaDeps) {
    this.#parts = parts;
  }

  /**
   * The share of one delivery; it has to be disposed of.
   * @throws HttpError 429 where the server has too many under way
   */
  open(serverKey: number): ServerQuota {
    let server = this.#servers.get(serverKey);
    if (server === undefined) {
      server = { deliveries: 0, bytes: 0, events: 0, waiting: [], raw: 0, resets: 0 };
      this.#servers.set(serverKey, server);
    }
    return new ServerQuota(server, this.#parts);
  }
}

/** What one delivery hands its events over to. */
export class ServerQuota implements Disposable {
  readonly #server: Server;
  readonly #parts: ServerQuotaDeps;
  #bytes = 0;

  constructor(server: Server, parts: ServerQuotaDeps) {
    if (server.deliveries >= MAX_REQUESTS)
      throw tooMuch(`A game server may have ${MAX_REQUESTS} requests under way.`, 1);
    server.deliveries++;
    this.#server = server;
    this.#parts = parts;
  }

  get isFull(): boolean {
    return this.#parts.eventQueue.isFull;
  }

  /** Rejects with HttpError 429 where the server has told enough within this minute. */
  take(items: readonly Item[], options?: IngestOptions): Promise<Receipt[]> {
    const refusal = this.#count(items.length);
    if (refusal !== undefined) return Promise.reject(refusal);
    const turn = this.#turn(items.length);
    return turn === undefined ? this.#hand(items, options) : turn.then(() => this.#hand(items, options));
  }

  #hand(items: readonly Item[], options: IngestOptions | undefined): Promise<Receipt[]> {
    const receipts = this.#parts.eventQueue.accept(items, options);
    // What is waited for must not keep the events, which are large, from being forgotten meanwhile.
    const { length } = items;
    const leave = (): void => this.#leave(length);
    receipts.then(leave, leave);
    return receipts;
  }

  /**
   * Bytes of the delivery that have come: they count until it is over.
   * @throws HttpError 429 where too much of the server is held
   */
  hold(bytes: number): void {
    this.#bytes += bytes;
    this.#server.bytes += bytes;
    if (this.#server.bytes <= MAX_HELD_BYTES) return;
    throw tooMuch(`A game server may have ${MAX_HELD_BYTES / 1024 / 1024} MiB under way.`, 1);
  }

  [Symbol.dispose](): void {
    this.#server.deliveries--;
    this.#server.bytes -= this.#bytes;
  }

  #count(events: number): HttpError | undefined {
    const { clock, perMinute } = this.#parts;
    if (perMinute === 0) return undefined;
    const now = clock.now();
    if (this.#server.resets <= now) [this.#server.raw, this.#server.resets] = [0, now + MINUTE_MS];
    const seconds = Math.ceil((this.#server.resets - now) / 1000);
    // The first delivery of a minute is taken whatever its size, or one that is larger never would be.
    if (this.#server.raw > 0 && this.#server.raw + events > perMinute)
      return tooMuch(`A game server may send ${perMinute} events a minute.`, seconds);
    this.#server.raw += events;
    return undefined;
  }

  /** Undefined where it is this one's turn. Larger than the window it goes alone. */
  #turn(count: number): Promise<void> | undefined {
    const { events, waiting } = this.#server;
    if (waiting.length === 0 && (events === 0 || events + count <= WINDOW)) {
      this.#server.events += count;
      return undefined;
    }
    const { promise, resolve: go } = Promise.withResolvers<void>();
    waiting.push({ count, go });
    return promise;
  }

  #leave(count: number): void {
    const server = this.#server;
    server.events -= count;
    for (let next = server.waiting[0]; next !== undefined; next = server.waiting[0]) {
      if (server.events > 0 && server.events + next.count > WINDOW) return;
      server.waiting.shift();
      server.events += next.count;
      next.go();
    }
  }
}

function tooMuch(sentence: string, seconds: number): HttpError {
  return new HttpError(429, 'rate_limit', `${sentence} Send it again later.`, { 'retry-after': String(seconds) });
}
