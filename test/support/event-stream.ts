import assert from 'node:assert/strict';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { EventStreamParser, type StreamEvent } from '#client/event-stream.ts';
import type { Wish } from './request.ts';

/** How long a test waits for an event, which comes within some 200 ms. */
const TIMEOUT_MS = 20_000;

/** A client of a stream of Server-Sent Events, which is closed when the test ends. */
export class StreamClient implements AsyncIterable<StreamEvent> {
  readonly response: IncomingMessage;
  readonly #sent: ClientRequest;
  readonly #events: StreamEvent[] = [];
  #text = '';
  #isEnded = false;
  #changed = Promise.withResolvers<void>();

  private constructor(sent: ClientRequest, response: IncomingMessage, isRead: boolean) {
    this.#sent = sent;
    this.response = response;
    if (isRead) this.resume();
    response.on('error', () => undefined);
    response.on('close', () => {
      this.#isEnded = true;
      this.#notify();
    });
  }

  /** @param isRead false for a client that does not read */
  static async open(t: TestContext, origin: string, path: string, { token, clientId, headers }: Wish, isRead = true) {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(`${origin}${path}`, {
      headers: {
        ...headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(clientId !== undefined && { 'x-client-id': clientId }),
      },
    });
    sent.on('response', resolve).on('error', reject).end();
    const client = new StreamClient(sent, await promise, isRead);
    t.after(() => client.close());
    return client;
  }

  /** Reads what has come. */
  resume(): void {
    const parser = new EventStreamParser();
    this.response.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString();
      this.#events.push(...parser.push(chunk));
      this.#notify();
    });
  }

  /** Everything that came. */
  get text(): string {
    return this.#text;
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Waits until a condition holds after something has come. */
  async until(condition: () => boolean): Promise<void> {
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(
      () => timeout.reject(new Error(`In vain, after:\n${this.#text.slice(-2000)}`)),
      TIMEOUT_MS,
    );
    try {
      while (!condition()) await Promise.race([this.#changed.promise, timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The next event; undefined at the end of the stream. */
  async next(): Promise<StreamEvent | undefined> {
    await this.until(() => this.#events.length > 0 || this.#isEnded);
    return this.#events.shift();
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  async take(count: number): Promise<StreamEvent[]> {
    await this.until(() => this.#events.length >= count || this.#isEnded);
    return this.#events.splice(0, count);
  }

  /** The events that came and were not taken. */
  get waiting(): readonly StreamEvent[] {
    return this.#events;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, undefined> {
    for (let event = await this.next(); event !== undefined; event = await this.next()) yield event;
  }

  /** Waits for the end, and asserts that it was told by this event. @returns its data */
  async ended(event: string): Promise<any> {
    // oxlint-disable-line typescript/no-explicit-any -- JSON
    await this.until(() => this.#isEnded);
    const last = this.#events.at(-1);
    assert.equal(last?.event, event, this.#text);
    return JSON.parse(last.data);
  }

  async close(): Promise<void> {
    this.#sent.destroy();
    await this.until(() => this.#isEnded);
  }
}

/** The bytes of a stream as they come through the connection. */
export class RawStream {
  readonly #socket: Socket;
  #text = '';
  #changed = Promise.withResolvers<void>();

  /** @param request the lines of the request, without those of the host */
  constructor(t: TestContext, origin: string, request: readonly string[]) {
    const { hostname, port, host } = new URL(origin);
    this.#socket = connect(Number(port), hostname);
    this.#socket.on('error', () => undefined).setEncoding('utf8');
    this.#socket.on('data', (text: string) => {
      this.#text += text;
      this.#changed.resolve();
    });
    this.#socket.on('close', () => this.#changed.resolve());
    this.#socket.write(`${[...request, `Host: ${host}`].join('\r\n')}\r\n\r\n`);
    t.after(() => this.#socket.destroy());
  }

  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#text)) {
      if (this.#socket.closed) throw new Error(`In vain, after:\n${this.#text.slice(-2000)}`);
      await this.#changed.promise;
      this.#changed = Promise.withResolvers();
    }
  }

  async ended(): Promise<void> {
    while (!this.#socket.closed) {
      await this.#changed.promise;
      this.#changed = Promise.withResolvers();
    }
  }

  get head(): string {
    return this.#text.split('\r\n\r\n', 1)[0]!;
  }

  get body(): string {
    return this.#text.slice(this.head.length + 4);
  }

  /** The chunks of the body; the last one is empty if the body is complete. */
  get chunks(): string[] {
    const chunks: string[] = [];
    for (let rest = Buffer.from(this.body); rest.length > 0;) {
      const [line] = /^[\da-f]+\r\n/i.exec(rest.subarray(0, 20).toString()) ?? [''];
      const end = line.length + Number.parseInt(line, 16);
      assert.equal(rest.subarray(end, end + 2).toString(), '\r\n', `no chunk: ${rest.subarray(0, 200).toString()}`);
      chunks.push(rest.subarray(line.length, end).toString());
      rest = rest.subarray(end + 2);
    }
    return chunks;
  }
}
