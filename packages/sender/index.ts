import { setTimeout as sleep } from 'node:timers/promises';
import { type Event, type QueuedEvent, readLine, type Receipt, type Rejection, writeLine } from './event.ts';
import { type IngestResponse, postEvents, quoted } from './post.ts';
import { withoutStale } from './present.ts';
import { appendDurably, DiskQueue } from './queue.ts';

/**
 * Sends events to Scorehall without losing any: `send` resolves when the event is in a queue on disk, and the sender
 * delivers the queue in the background, across restarts of this process and of the service. It has no dependencies.
 */
export interface SenderOptions {
  /** The address of the ingest (`INGEST_URL`). */
  url: string;
  /** The key of this game server. */
  key: string;
  /** The folder of the queue. Each sender needs its own: `openSender` fails if another sender has it open. */
  folder: string;
  /**
   * Called for each permanently rejected event; `refused.ndjson` in the folder stores these events, too. A damaged line
   * of the queue that is not an event is passed as text.
   */
  onRefused?: (event: Event | string, receipt: Rejection) => void;
  /** Called with the reason when a delivery fails; the sender retries by itself. */
  onTrouble?: (sentence: string) => void;
  /** Replaces the timer between deliveries; for tests. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export type { Event, Receipt, Rejection };

const MAX_EVENTS = 200;
const MAX_BYTES = 1024 * 1024;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;
/** How long an event with `"retry": true` is sent again, from the first such receipt. */
const RETRY_PERIOD_MS = 24 * 3_600_000;
/** The local refusal of a batch with a line that is not an event, to find that line. */
const NOT_AN_EVENT: IngestResponse = { refused: 'This line of the queue is not an event; the file is damaged.' };

/** The outcome of one delivery. */
type Delivery = 'delivered' | 'empty' | { trouble: string; afterMs: number | undefined };

/** @throws TypeError for an address or a key that can never work, such as that of an environment variable that is not set */
export async function openSender(options: SenderOptions): Promise<Sender> {
  const { url, key } = options;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new TypeError(`url must be the address of the ingest, like https://ingest.example.org (it is "${url}").`);
  if (!/^[!-~]+$/.test(key ?? ''))
    throw new TypeError('key must be the key of the game server, shk_…, without blanks and line ends.');
  return new Sender(options, await DiskQueue.open(options.folder));
}

export class Sender implements AsyncDisposable {
  readonly #options: SenderOptions;
  readonly #queue: DiskQueue;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #wake = Promise.withResolvers<void>();
  #flushes: PromiseWithResolvers<void>[] = [];
  /** The size of the next batch: halved while the service refuses the request, to find the invalid event. */
  #batchSize = MAX_EVENTS;

  constructor(options: SenderOptions, queue: DiskQueue) {
    this.#options = options;
    this.#queue = queue;
    this.#running = this.#run();
  }

  /** Resolves when the events are on disk; the sender delivers them from there. */
  async send(...events: Event[]): Promise<void> {
    await this.#queue.append(events.map((event) => JSON.stringify(event)));
    this.#wake.resolve();
  }

  /** Sends an event once, without the queue; for heartbeats, which are of no use later. */
  async sendNow(event: Event): Promise<Receipt | undefined> {
    const response = await postEvents(this.#options, [JSON.stringify(event)]);
    if ('receipts' in response) return response.receipts[0];
    this.#reportTrouble('refused' in response ? response.refused : response.trouble);
    return undefined;
  }

  /** Resolves when all events sent so far are delivered or in `refused.ndjson`; rejects if `close` is called first. */
  async flush(): Promise<void> {
    if (this.#stop.signal.aborted) throw closed();
    const flush = Promise.withResolvers<void>();
    this.#flushes.push(flush);
    this.#wake.resolve();
    await flush.promise;
  }

  /** Stops delivering; a later sender on the same folder delivers the rest of the queue. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#wake.resolve();
    await this.#running;
    await this.#queue.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run(): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    while (!this.#stop.signal.aborted) {
      // A `send` or `flush` from here on may come after `#deliver` has read the queue: it wakes this loop for another turn,
      // and this turn resolves only the flushes that were requested before it.
      this.#wake = Promise.withResolvers();
      const flushCount = this.#flushes.length;
      const delivery = await this.#deliver().catch((error: unknown) => ({
        trouble: String(error),
        afterMs: undefined,
      }));
      if (delivery === 'delivered') pause = FIRST_PAUSE_MS;
      else if (delivery === 'empty') {
        for (const { resolve } of this.#flushes.splice(0, flushCount)) resolve();
        await this.#wake.promise;
      } else {
        this.#reportTrouble(delivery.trouble);
        await this.#pause(Math.max(delivery.afterMs ?? 0, pause * (0.5 + Math.random() / 2)));
        pause = Math.min(pause * 2, MAX_PAUSE_MS);
      }
    }
    for (const { reject } of this.#flushes.splice(0)) reject(closed());
  }

  async #deliver(): Promise<Delivery> {
    const chunk = await this.#queue.peek(this.#batchSize, MAX_BYTES);
    if (chunk === undefined) return 'empty';
    const { lines, next } = chunk;
    const read = lines.flatMap((line) => readLine(line) ?? []);
    const events = read.length === lines.length ? withoutStale(read, Date.now()) : read;
    const response = read.length === lines.length ? await this.#post(events) : NOT_AN_EVENT;
    if ('trouble' in response) return response;
    if ('refused' in response) {
      this.#batchSize = Math.ceil(lines.length / 2);
      if (lines.length > 1) return 'delivered';
      const receipt: Rejection = { id: '', status: 'rejected', reason: response.refused, place: '' };
      await this.#setAside(events[0]?.event ?? lines[0]!, receipt);
    } else if (await this.#processReceipts(events, response.receipts)) {
      await this.#queue.advance(next);
      const rejected = response.receipts.filter((receipt) => receipt.status === 'rejected');
      const { reason = '' } = rejected.find(({ retry }) => retry) ?? {};
      return { trouble: `Events wait and are sent again later: ${quoted(reason)}`, afterMs: MAX_PAUSE_MS / 2 };
    }
    this.#batchSize = MAX_EVENTS;
    await this.#queue.advance(next);
    return 'delivered';
  }

  async #post(events: QueuedEvent[]): Promise<IngestResponse> {
    if (events.length === 0) return { receipts: [] };
    const lines = events.map(({ json }) => json);
    return await postEvents(this.#options, lines, this.#stop.signal);
  }

  /**
   * Moves rejected events to `refused.ndjson` and appends those with `"retry": true` to the queue again.
   * @returns whether all events have to be sent again later
   */
  async #processReceipts(events: QueuedEvent[], receipts: Receipt[]): Promise<boolean> {
    const early: string[] = [];
    for (const [index, receipt] of receipts.entries()) {
      const { event, json, since = Date.now() } = events[index]!;
      if (receipt.status !== 'rejected') continue;
      if (receipt.retry && isInRetryPeriod(since)) early.push(writeLine({ json, since }));
      else await this.#setAside(event, receipt);
    }
    if (early.length > 0) await this.#queue.append(early);
    return early.length > 0 && early.length === events.length;
  }

  /** Stores a permanently refused event, before the queue moves past it. */
  async #setAside(event: Event | string, receipt: Rejection): Promise<void> {
    await appendDurably(this.#options.folder, 'refused.ndjson', `${JSON.stringify({ receipt, event })}\n`);
    callSafely(() => this.#options.onRefused?.(event, receipt));
  }

  #reportTrouble(sentence: string): void {
    callSafely(() => this.#options.onTrouble?.(sentence));
  }

  async #pause(ms: number): Promise<void> {
    const pause = this.#options.pause ?? ((ms, signal) => sleep(ms, undefined, { signal }));
    await pause(ms, this.#stop.signal).catch(() => undefined);
  }
}

/** The absolute difference, because `since` is in the future after a clock that was ahead is corrected. */
function isInRetryPeriod(since: number): boolean {
  return Math.abs(Date.now() - since) < RETRY_PERIOD_MS;
}

/** Turns an error of a callback into a warning, because it would stop the delivery and store the same event again. */
function callSafely(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}

const closed = (): Error => new Error('The sender is closed. Open its folder again to deliver the rest of its queue.');
