import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, systemClock } from '#platform/clock.ts';
import { measureStream } from './request-metrics.ts';

/** Headers of every stream of Server-Sent Events: no cache stores it, and no proxy keeps it back. */
const HEADERS = [
  ...['content-type', 'text/event-stream; charset=utf-8', 'cache-control', 'no-store'],
  ...['x-accel-buffering', 'no', 'connection', 'close'],
];
/** Proxies and browsers close a connection that is silent for longer. */
const COMMENT_MS = 15_000;
const TICK_MS = 1_000;
/** Bytes that wait for a client that does not read, besides those in the buffers of the system. */
const MAX_BUFFERED = 256 * 1024;
/** How long the last event may take to arrive. */
const END_TIMEOUT_MS = 2_000;
/** Clients connect again after a random time between these, so that those of a restarted service do not come at once. */
const RETRY_MS = { min: 1_000, max: 5_000 };
/** Writes between two turns of the event loop, about 3 ms. */
const WRITES_PER_TURN = 128;

/** An event. The data are one line, such as JSON. */
export interface StreamEvent {
  event: string;
  data: string;
  id?: string | undefined;
}

export const eventText = ({ event, data, id }: StreamEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;

/** Why a stream ends that its client did not close. */
const TOO_SLOW: StreamEvent = {
  event: 'too_slow',
  data: JSON.stringify({ error: 'too_slow', error_description: 'The stream was not read fast enough. Connect again.' }),
};

/** The chunk that ends a body. */
const LAST_CHUNK = '0\r\n\r\n';

/** Whole events as one chunk of a body (RFC 9112, section 7.1). */
function chunkOf(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

/** Bytes of whole events, which many streams share. */
export class EventBytes {
  readonly #bytes: Buffer;
  #chunk: Buffer | undefined;

  constructor(events: string) {
    this.#bytes = Buffer.from(events);
  }

  /** As they are written to a stream with chunks, or to another one. */
  bytesFor(hasChunks: boolean): Buffer {
    return hasChunks ? (this.#chunk ??= chunkOf(this.#bytes)) : this.#bytes;
  }
}

const COMMENT = new EventBytes(':\n\n');

/** A connection that receives Server-Sent Events (HTML Standard, section 9.2). */
export class EventStream {
  readonly #out: Writable;
  readonly #hasChunks: boolean;
  readonly #clock: Clock;
  readonly #closed = Promise.withResolvers<void>();
  #lastWrite: number;
  #isOpen = true;

  /**
   * @param out the rest of a response with the headers of `beginStream`, or its connection
   * @param hasChunks whether the stream writes the chunks of the body, which Node writes for a response and not for a connection
   */
  constructor(out: Writable, clock: Clock, hasChunks = false) {
    this.#out = out;
    this.#hasChunks = hasChunks;
    this.#clock = clock;
    this.#lastWrite = clock.now();
    out.on('error', () => undefined);
    out.once('close', () => {
      this.#isOpen = false;
      this.#closed.resolve();
    });
  }

  /** Whether events can still be sent. */
  get isOpen(): boolean {
    return this.#isOpen && !this.#out.destroyed;
  }

  /** Resolves when the connection has ended, by either side. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get lastWrite(): number {
    return this.#lastWrite;
  }

  /** Sends whole events in one write. Ends the stream of a client that does not read. */
  send(events: string | EventBytes): void {
    if (!this.isOpen) return;
    if (this.#out.writableLength > MAX_BUFFERED) return this.endSlow();
    this.#lastWrite = this.#clock.now();
    const bytes = typeof events === 'string' ? new EventBytes(events) : events;
    this.#out.write(bytes.bytesFor(this.#hasChunks));
  }

  /** Ends the stream of a client that does not read. */
  endSlow(): void {
    this.end(TOO_SLOW);
  }

  /** Resolves when the client has read enough to send more, or has gone. */
  async drained(): Promise<void> {
    if (!this.isOpen || !this.#out.writableNeedDrain) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#out.once('drain', resolve);
    await Promise.race([promise, this.closed]);
    this.#out.off('drain', resolve);
  }

  /** Ends the stream, with an event that says why. */
  end(event?: StreamEvent): void {
    if (!this.isOpen) return;
    this.#isOpen = false;
    const last = event && new EventBytes(eventText(event)).bytesFor(this.#hasChunks);
    if (last !== undefined) this.#out.write(last);
    this.#out.end(this.#hasChunks ? LAST_CHUNK : undefined);
    const timeout = new AbortController();
    void this.closed.then(() => timeout.abort());
    void systemClock.wait(END_TIMEOUT_MS, timeout.signal).then(() => this.#out.destroy());
  }
}

/**
 * Sends the headers of a stream and what tells the client when to connect again. The body of HTTP/1.1 has chunks, without
 * which HTTP libraries keep events back until they have some hundred bytes; that of HTTP/1.0 ends with its connection.
 * @param headers further headers, names and values in turn
 * @returns whether the request wants the events; HEAD wants only the headers
 */
export function beginStream(response: ServerResponse, headers: readonly string[]): boolean {
  // Node would write chunks for HTTP/1.0 with `TE: chunked`.
  if (response.req.httpVersion === '1.0') response.removeHeader('transfer-encoding');
  response.writeHead(200, [...headers, ...HEADERS]);
  if (response.req.method === 'HEAD') {
    response.end();
    return false;
  }
  measureStream(response);
  const { min, max } = RETRY_MS;
  response.write(`retry: ${Math.round(min + Math.random() * (max - min))}\n\n`);
  return true;
}

/** The open streams of a thread. Sends comments to silent ones. */
export class EventStreams implements Disposable {
  readonly #clock: Clock;
  readonly #open = new Set<EventStream>();
  readonly #timer: NodeJS.Timeout;
  #isEnded = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#timer = setInterval(() => void this.#comment(), TICK_MS).unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Adds a stream, which ends at once if all were ended before. The parameters are those of `EventStream`. */
  add(out: Writable, hasChunks = false): EventStream {
    const stream = new EventStream(out, this.#clock, hasChunks);
    this.#open.add(stream);
    void stream.closed.then(() => this.#open.delete(stream));
    if (this.#isEnded) stream.end();
    return stream;
  }

  async #comment(): Promise<void> {
    const until = this.#clock.now() - COMMENT_MS;
    const silent = this.#open.values().filter(({ lastWrite }) => lastWrite <= until);
    await sendToAll(silent, COMMENT);
  }

  /** Ends all streams; their clients connect again. */
  [Symbol.dispose](): void {
    this.#isEnded = true;
    clearInterval(this.#timer);
    for (const stream of this.#open) stream.end();
  }
}

/** Writes the same bytes to many streams, with turns for other work in between. */
export async function sendToAll(streams: Iterable<EventStream>, bytes: EventBytes): Promise<void> {
  let written = 0;
  for (const stream of streams) {
    stream.send(bytes);
    if (++written % WRITES_PER_TURN === 0) await turn();
  }
}
