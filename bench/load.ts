import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { percentile } from './statistics.ts';

/** The figures of one run of load. */
export interface Load {
  requests: number;
  seconds: number;
  /** In milliseconds. */
  p99: number;
  /** The number of responses by status. */
  statuses: Map<number, number>;
}

export interface Target {
  port: number;
  /** Makes the text of the next request; undefined ends the run. */
  next: () => string | undefined;
}

/**
 * Sends requests over keep-alive connections, each with one pending request at a time. Uses raw sockets, because an HTTP
 * client that costs as much CPU time as the server would limit the result.
 */
export async function load({ port, next }: Target, connections: number, ms: number): Promise<Load> {
  const clients = await Promise.all(Array.from({ length: connections }, () => Client.open(port, next)));
  const started = performance.now();
  const until = started + ms;
  await Promise.all(clients.map((client) => client.run(until)));
  const seconds = (performance.now() - started) / 1000;
  const times = clients.flatMap((client) => client.times);
  const statuses = new Map<number, number>();
  for (const client of clients) {
    for (const [status, count] of client.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
  }
  return { requests: times.length, seconds, p99: percentile(times, 0.99), statuses };
}

class Client {
  readonly times: number[] = [];
  readonly statuses = new Map<number, number>();
  readonly #socket: Socket;
  readonly #next: Target['next'];
  #until = 0;
  #sent = 0;
  /** The bytes that are missing from the current body; -1 while the head is being read. */
  #missing = -1;
  #head = '';
  readonly #ended = Promise.withResolvers<void>();

  private constructor(port: number, next: Target['next']) {
    // `onread` with one buffer costs a fraction of a stream.
    const callback = (count: number, bytes: Uint8Array): boolean => this.#read(bytes as Buffer, count);
    const onread = { buffer: Buffer.allocUnsafeSlow(CAPACITY), callback };
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    this.#next = next;
  }

  static async open(port: number, next: Target['next']): Promise<Client> {
    const client = new Client(port, next);
    await once(client.#socket, 'connect');
    client.#socket.on('error', (error) => client.#ended.reject(error));
    client.#socket.on('close', () => client.#ended.resolve());
    return client;
  }

  run(until: number): Promise<void> {
    this.#until = until;
    this.#send();
    return this.#ended.promise;
  }

  #send(): void {
    this.#sent = performance.now();
    const text = this.#sent < this.#until ? this.#next() : undefined;
    if (text === undefined) this.#socket.end();
    else this.#socket.write(text, 'latin1');
  }

  /**
   * Parses only the status and the length of a response.
   * @returns true, so that the socket continues to read
   */
  #read(bytes: Buffer, count: number): true {
    if (this.#missing >= 0) return this.#skipBody(count);
    const before = this.#head.length;
    this.#head += bytes.toString('latin1', 0, Math.min(count, 4096));
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return true;
    const status = Number(this.#head.slice(9, 12));
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    const length = status === 304 ? 0 : lengthIn(this.#head);
    if (length === undefined) {
      this.#ended.reject(new Error(`A response has no Content-Length: ${this.#head}`));
      return true;
    }
    this.#missing = length;
    this.#head = '';
    return this.#skipBody(count - (end + 4 - before));
  }

  #skipBody(bytes: number): true {
    this.#missing -= bytes;
    if (this.#missing > 0) return true;
    this.#missing = -1;
    this.times.push(performance.now() - this.#sent);
    this.#send();
    return true;
  }
}

const CAPACITY = 64 * 1024;

function lengthIn(head: string): number | undefined {
  const length = /content-length: *(\d+)/i.exec(head)?.[1];
  return length === undefined ? undefined : Number(length);
}
