import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Event, type QueuedEvent, readLine, writeLine } from './event.ts';
import { type IngestResponse, postEvents, type Receipt } from './post.ts';
import { DiskQueue } from './queue.ts';

/**
 * Sends events to Scorehall and loses none: `send` settles when an event is in a queue on disk, from where it is
 * delivered, however long that takes and however often this process or the service dies. Needs nothing but Node.
 */
export interface SenderOptions {
  /** The ingest's address. */
  url: string;
  /** The key of this game server. */
  key: string;
  /** A folder of this sender's own: `openSender` fails where another has it open. */
  folder: string;
  /**
   * Hears of events that were refused for good; they are kept in `refused.ndjson`, too. A line of a damaged queue that is
   * no event comes as text.
   */
  onRefused?: (event: Event | string, receipt: Receipt) => void;
  /** Hears why nothing is delivered at the moment. */
  onTrouble?: (sentence: string) => void;
  /** How to wait; for tests. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export type { Event, Receipt };

const MAX_EVENTS = 200;
const MAX_BYTES = 1024 * 1024;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;
/** How long an event that came too early is sent again, counted from when the service first said so. */
const EARLY_MS = 24 * 3_600_000;
/** What is said of lines of which one is no event, without asking: such a line would spoil the request for all. */
const NO_EVENT: IngestResponse = { refused: 'This line of the queue is no event: the file was damaged.' };

export async function openSender(options: SenderOptions): Promise<Sender> {
  return new Sender(options, await DiskQueue.open(options.folder));
}

export class Sender implements AsyncDisposable {
  readonly #options: SenderOptions;
  readonly #queue: DiskQueue;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #wake = Promise.withResolvers<void>();
  #flushes: PromiseWithResolvers<void>[] = [];
  #most = MAX_EVENTS;

  constructor(options: SenderOptions, queue: DiskQueue) {
    this.#options = options;
    this.#queue = queue;
    this.#running = this.#run();
  }

  /** Settles when the events are on disk: from then on they are this sender's business. */
  async send(...events: Event[]): Promise<void> {
    await this.#queue.append(events.map((event) => JSON.stringify(event)));
    this.#wake.resolve();
  }

  /** Sends an event past the queue, once: for heartbeats, which are worth nothing later. */
  async sendNow(event: Event): Promise<Receipt | undefined> {
    const answer = await postEvents(this.#options, [JSON.stringify(event)]);
    if ('receipts' in answer) return answer.receipts[0];
    this.#complain('refused' in answer ? answer.refused : answer.trouble);
    return undefined;
  }

  /** Settles when everything that was sent so far is delivered or set aside; fails where `close` comes first. */
  async flush(): Promise<void> {
    if (this.#stop.signal.aborted) throw closed();
    const flush = Promise.withResolvers<void>();
    this.#flushes.push(flush);
    this.#wake.resolve();
    await flush.promise;
  }

  /** Stops delivering; what is left is delivered when the folder is opened again. */
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
      // What is sent, and who asks, from here on may find the queue looked through already: both have it looked at anew.
      this.#wake = Promise.withResolvers();
      const asked = this.#flushes.length;
      const wait = await this.#deliver().catch((error: unknown) => ({ trouble: String(error), afterMs: undefined }));
      if (wait === 'delivered') pause = FIRST_PAUSE_MS;
      else if (wait === 'empty') {
        for (const { resolve } of this.#flushes.splice(0, asked)) resolve();
        await this.#wake.promise;
      } else {
        this.#complain(wait.trouble);
        await this.#pause(Math.max(wait.afterMs ?? 0, pause * (0.5 + Math.random() / 2)));
        pause = Math.min(pause * 2, MAX_PAUSE_MS);
      }
    }
    for (const { reject } of this.#flushes.splice(0)) reject(closed());
  }

  async #deliver(): Promise<'delivered' | 'empty' | { trouble: string; afterMs: number | undefined }> {
    const portion = await this.#queue.peek(this.#most, MAX_BYTES);
    if (portion === undefined) return 'empty';
    const { lines, next } = portion;
    const events = lines.flatMap((line) => readLine(line) ?? []);
    const answer = events.length === lines.length ? await this.#post(events) : NO_EVENT;
    if ('trouble' in answer) return answer;
    if ('refused' in answer) {
      this.#most = Math.ceil(lines.length / 2);
      if (lines.length > 1) return 'delivered';
      const receipt: Receipt = { id: '', status: 'rejected', reason: answer.refused, place: '' };
      await this.#setAside(events[0]?.event ?? lines[0]!, receipt);
    } else if (await this.#settle(events, answer.receipts)) {
      await this.#queue.advance(next);
      return { trouble: 'The service wants some events again later.', afterMs: MAX_PAUSE_MS / 2 };
    }
    this.#most = MAX_EVENTS;
    await this.#queue.advance(next);
    return 'delivered';
  }

  #post(events: QueuedEvent[]): Promise<IngestResponse> {
    const sent = events.map(({ json }) => json);
    return postEvents(this.#options, sent, this.#stop.signal);
  }

  /** @returns whether nothing but events that came too early is left */
  async #settle(events: QueuedEvent[], receipts: Receipt[]): Promise<boolean> {
    const early: string[] = [];
    for (const [place, receipt] of receipts.entries()) {
      const { event, json, since = Date.now() } = events[place]!;
      if (receipt.status !== 'rejected') continue;
      if (receipt.retry && isFresh(since)) early.push(writeLine({ json, since }));
      else await this.#setAside(event, receipt);
    }
    if (early.length > 0) await this.#queue.append(early);
    return early.length > 0 && early.length === events.length;
  }

  async #setAside(event: Event | string, receipt: Receipt): Promise<void> {
    await appendFile(join(this.#options.folder, 'refused.ndjson'), `${JSON.stringify({ receipt, event })}\n`);
    sendEvents(() => this.#options.onRefused?.(event, receipt));
  }

  #complain(sentence: string): void {
    sendEvents(() => this.#options.onTrouble?.(sentence));
  }

  async #pause(ms: number): Promise<void> {
    const pause = this.#options.pause ?? ((ms, signal) => sleep(ms, undefined, { signal }));
    await pause(ms, this.#stop.signal).catch(() => undefined);
  }
}

/** Either way: a clock that was ahead and is set right must not make the wait one of years. */
function isFresh(since: number): boolean {
  return Math.abs(Date.now() - since) < EARLY_MS;
}

/** What a callback throws is told as a warning: delivery goes on, or what was set aside would be again and again. */
function sendEvents(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}

const closed = (): Error =>
  new Error('The sender is closed; what is left is delivered when its folder is opened again.');
