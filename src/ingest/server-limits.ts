import type { Clock } from '#platform/clock.ts';
import { Unavailable } from '#platform/errors.ts';
import { type HttpError, rateLimited } from '#http/errors.ts';
import { LIMITS } from '#http/limits.ts';
import { type EventQueue, type IngestOptions, MAX_GROUP_WEIGHT } from '#events/ingest/event-queue.ts';
import { type Item, totalWeight } from '#events/ingest/prepare.ts';
import { NEW_PLAYER_WEIGHT, OTHER_WEIGHT, weightOfBytes } from '#events/schema/event-type.ts';
import type { Receipt } from '#events/ledger/receipts.ts';

/**
 * Limits the share of one game server in the event queue, so that a server which sends without end delays only itself: at
 * most `WINDOW_WEIGHT` of its events are in the queue, and its others wait here, in order.
 */

/** Maximum weight of one server's events in the event queue: two transactions. */
export const WINDOW_WEIGHT = 2 * MAX_GROUP_WEIGHT;
/** Heavier requests enter the event queue in chunks, since a request shares one transaction. */
export const CHUNK_WEIGHT = MAX_GROUP_WEIGHT;
export const MAX_REQUESTS = LIMITS.openRequest.max.server;
const MAX_HELD_MIB = LIMITS.heldMebibyte.max.server;
export const MAX_HELD_BYTES = MAX_HELD_MIB * 1024 * 1024;
export const MAX_PARSED_REFUSALS = LIMITS.parsedRefusal.max.server;
const MINUTE_MS = LIMITS.event.windowMs;

interface Amount {
  events: number;
  weight: number;
}

interface ServerUsage {
  requests: number;
  bytes: number;
  /** Weight of the events in the event queue. */
  queuedWeight: number;
  waiting: { weight: number; start: () => void }[];
  /** Events accepted since the current minute began, and their weight. */
  thisMinute: Amount;
  /** The limits that parsed requests, or batches of streams, of this minute would have exceeded, and so were refused. */
  refusals: (keyof Amount)[];
  /** When the current minute ends, in epoch milliseconds. */
  minuteEnds: number;
}

interface ServerLimitDeps {
  eventQueue: EventQueue;
  clock: Clock;
  /** Maximum events and weight of one server in a minute; 0: no limit. */
  perMinute: Amount;
}

export class ServerLimits {
  readonly #deps: ServerLimitDeps;
  readonly #servers = new Map<number, ServerUsage>();

  constructor(deps: ServerLimitDeps) {
    this.#deps = deps;
  }

  /**
   * Counts a request of a server. The caller disposes of the returned limits when the request ends.
   * @throws HttpError 429 if the server has too many open requests
   */
  open(serverKey: number): RequestLimits {
    let server = this.#servers.get(serverKey);
    if (server === undefined) {
      const thisMinute = { events: 0, weight: 0 };
      server = { requests: 0, bytes: 0, queuedWeight: 0, waiting: [], thisMinute, refusals: [], minuteEnds: 0 };
      this.#servers.set(serverKey, server);
    }
    return new RequestLimits(server, this.#deps);
  }
}

/** The limits of a server, as one of its requests counts against them. */
export class RequestLimits implements Disposable {
  readonly #server: ServerUsage;
  readonly #deps: ServerLimitDeps;
  /** Bytes of this request. */
  #bytes = 0;
  /** Those of them that the weight of this minute does not contain yet. */
  #unweighedBytes = 0;

  constructor(server: ServerUsage, deps: ServerLimitDeps) {
    if (server.requests >= MAX_REQUESTS)
      throw limitExceeded(`A game server may have ${MAX_REQUESTS} open requests at a time.`, 1_000);
    server.requests++;
    this.#server = server;
    this.#deps = deps;
  }

  get isFull(): boolean {
    return this.#deps.eventQueue.isFull;
  }

  /**
   * Refuses events before their body is read or parsed.
   * @throws HttpError 429 if the server has used up its minute, or was refused too often in it
   */
  refuseUnparsed(): void {
    const { thisMinute, refusals } = this.#currentMinute();
    const exceeded = this.#limitExceededBy(thisMinute, { events: 1, weight: this.#weight(1) });
    if (exceeded !== undefined) throw this.#refusal(exceeded);
    if (refusals.length >= MAX_PARSED_REFUSALS) throw this.#refusal(refusals.at(-1)!);
  }

  /** Counts a request that reports no event, but reads or writes as much as one. */
  countOther(): void {
    const { thisMinute } = this.#currentMinute();
    thisMinute.events++;
    thisMinute.weight += this.#weight(OTHER_WEIGHT);
    this.#unweighedBytes = 0;
  }

  /** The larger of the weight of events and that of the bytes in which they, or what is no event, arrived. */
  #weight(ofEvents: number): number {
    return Math.max(ofEvents, weightOfBytes(this.#unweighedBytes));
  }

  /**
   * Passes events to the event queue, once there is room for them in the window of the server. Rejects with HttpError 429,
   * and takes none of them, if the server exceeds a limit of this minute.
   */
  accept(items: readonly Item[], options?: IngestOptions): Promise<Receipt[]> {
    const weight = totalWeight(items);
    const refusal = this.#countMinute({ events: items.length, weight: this.#weight(weight) });
    this.#unweighedBytes = 0;
    if (refusal !== undefined) return Promise.reject(refusal);
    // The events of a dry run share the transaction that is rolled back, because they may depend on each other.
    if (weight <= CHUNK_WEIGHT || options?.dryRun) return this.#acceptChunk(items, weight, options);
    const chunks = splitIntoChunks(items).map((chunk) => this.#acceptChunk(chunk, totalWeight(chunk), options));
    return Promise.all(chunks).then((receipts) => receipts.flat());
  }

  #acceptChunk(items: readonly Item[], weight: number, options: IngestOptions | undefined): Promise<Receipt[]> {
    const reserved = this.#reserve(weight);
    return reserved === undefined
      ? this.#enqueue(items, weight, options)
      : reserved.then(() => this.#enqueue(items, weight, options));
  }

  #enqueue(items: readonly Item[], weight: number, options: IngestOptions | undefined): Promise<Receipt[]> {
    const receipts = this.#deps.eventQueue.accept(items, options);
    const { thisMinute } = this.#server;
    // The callbacks must not hold `items`: the events are large, and should be garbage while their receipts are awaited.
    const release = (): void => this.#release(weight);
    const uncount = uncountOutage(thisMinute, { events: items.length, weight });
    receipts.then((written) => this.#countNewPlayers(written), uncount).then(release, release);
    return receipts;
  }

  /**
   * Counts bytes of the request's body in memory, until the request ends.
   * @throws HttpError 429 if all requests of the server hold too much
   */
  hold(bytes: number): void {
    this.#bytes += bytes;
    this.#unweighedBytes += bytes;
    this.#server.bytes += bytes;
    if (this.#server.bytes <= MAX_HELD_BYTES) return;
    throw limitExceeded(`The open requests of a game server may hold ${MAX_HELD_MIB} MiB together.`, 1_000);
  }

  [Symbol.dispose](): void {
    this.#server.requests--;
    this.#server.bytes -= this.#bytes;
  }

  /** Only the writer knows which players are new, so they count afterwards. */
  #countNewPlayers(receipts: readonly Receipt[]): void {
    for (const receipt of receipts)
      if (receipt.status === 'accepted')
        this.#server.thisMinute.weight += NEW_PLAYER_WEIGHT * (receipt.new_players ?? 0);
  }

  /** Counts events. @returns the refusal if they exceed a limit */
  #countMinute(amount: Amount): HttpError | undefined {
    const { thisMinute, refusals } = this.#currentMinute();
    const exceeded = this.#limitExceededBy(thisMinute, amount);
    if (exceeded !== undefined) {
      refusals.push(exceeded);
      return this.#refusal(exceeded);
    }
    thisMinute.events += amount.events;
    thisMinute.weight += amount.weight;
    return undefined;
  }

  /** The first batch of a minute is always accepted: one larger than the limit would otherwise be refused for ever. */
  #limitExceededBy(thisMinute: Amount, { events, weight }: Amount): keyof Amount | undefined {
    const { perMinute } = this.#deps;
    if (thisMinute.events === 0) return undefined;
    if (exceeds(thisMinute.events + events, perMinute.events)) return 'events';
    return exceeds(thisMinute.weight + weight, perMinute.weight) ? 'weight' : undefined;
  }

  /** The usage of the server, whose counters begin at zero with each minute. */
  #currentMinute(): ServerUsage {
    const server = this.#server;
    const now = this.#deps.clock.now();
    if (server.minuteEnds <= now) {
      server.thisMinute = { events: 0, weight: 0 };
      server.refusals = [];
      server.minuteEnds = now + MINUTE_MS;
    }
    return server;
  }

  #refusal(limit: keyof Amount): HttpError {
    const { clock, perMinute } = this.#deps;
    const most =
      limit === 'events'
        ? `${perMinute.events} events a minute`
        : `events of the weight ${perMinute.weight} a minute (their rows, or their bytes / 256 if that is more)`;
    return limitExceeded(`A game server may send ${most}.`, this.#server.minuteEnds - clock.now());
  }

  /**
   * Reserves room in the window: at once (undefined), or when the returned promise resolves. A batch heavier than the
   * window waits until the window is empty.
   */
  #reserve(weight: number): Promise<void> | undefined {
    const { queuedWeight, waiting } = this.#server;
    if (waiting.length === 0 && (queuedWeight === 0 || queuedWeight + weight <= WINDOW_WEIGHT)) {
      this.#server.queuedWeight += weight;
      return undefined;
    }
    const { promise, resolve: start } = Promise.withResolvers<void>();
    waiting.push({ weight, start });
    return promise;
  }

  #release(weight: number): void {
    const server = this.#server;
    server.queuedWeight -= weight;
    for (let next = server.waiting[0]; next !== undefined; next = server.waiting[0]) {
      if (server.queuedWeight > 0 && server.queuedWeight + next.weight > WINDOW_WEIGHT) return;
      server.waiting.shift();
      server.queuedWeight += next.weight;
      next.start();
    }
  }
}

const exceeds = (amount: number, limit: number): boolean => limit > 0 && amount > limit;

/** Splits items, in order, into chunks of at most `CHUNK_WEIGHT`; a heavier item is a separate chunk. */
function splitIntoChunks(items: readonly Item[]): Item[][] {
  const chunks: Item[][] = [];
  let weight = Infinity;
  for (const item of items) {
    const own = totalWeight([item]);
    if (weight + own > CHUNK_WEIGHT) {
      chunks.push([]);
      weight = 0;
    }
    chunks.at(-1)!.push(item);
    weight += own;
  }
  return chunks;
}

/** Events that an outage of the database kept from being stored do not count, because the server sends them again. */
const uncountOutage =
  (minute: Amount, { events, weight }: Amount) =>
  (error: unknown): void => {
    if (!(error instanceof Unavailable)) return;
    minute.events -= events;
    minute.weight -= weight;
  };

const limitExceeded = (sentence: string, waitMs: number): HttpError =>
  rateLimited(`${sentence} Send it again later.`, waitMs);
