import { connect, type Socket } from 'node:net';

/** What one run of load showed. Times in milliseconds. */
export interface Load {
  requests: number;
  seconds: number;
  p99: number;
  /** How often each status was answered. */
  statuses: Map<number, number>;
}

export interface Target {
  port: number;
  /** The whole text of the next request; undefined ends the run. */
  next: () => string | undefined;
}

/**
 * Sends requests over kept connections, one under way on each, for some time. Raw sockets, since a client that costs as
 * much as the server would measure itself.
 */
export async function load({ port, next }: Target, connections: number, ms: number): Promise<Load> {
  const clients = await Promise.all(Array.from({ length: connections }, () => Client.open(port, next)));
  const started = performance.now();
  const until = started + ms;
  await Promise.all(clients.map((client) => client.run(until)));
  const seconds = (performance.now() - started) / 1000;
  const times = clients.flatMap(({ times: own }) => own).sort((a, b) => a - b);
  const statuses = new Map<number, number>();
  for (const client of clients) {
    for (const [status, count] of client.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
  }
  return { requests: times.length, seconds, p99: times[Math.floor(times.length * 0.99)] ?? 0, statuses };
}

class Client {
  readonly times: number[] = [];
  readonly statuses = new Map<number, number>();
  readonly #socket: Socket;
  readonly #next: Target['next'];
  #until = 0;
  #sent = 0;
  #awaited = -1;
  #head = '';
  readonly #ended = Promise.withResolvers<void>();

  private constructor(socket: Socket, next: Target['next']) {
    this.#socket = socket;
    this.#next = next;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#read(chunk as Buffer));
    socket.on('error', (error) => this.#ended.reject(error));
    socket.on('close', () => this.#ended.resolve());
  }

  static open(port: number, next: Target['next']): Promise<Client> {
    const { promise, resolve, reject } = Promise.withResolvers<Client>();
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('connect', () => resolve(new Client(socket, next)));
    return promise;
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

  /** Reads just enough of an answer to know where it ends: the status and the length. */
  #read(chunk: Buffer): void {
    if (this.#awaited >= 0) return this.#take(chunk.length);
    this.#head += chunk.toString('latin1', 0, Math.min(chunk.length, 4096));
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const status = Number(this.#head.slice(9, 12));
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    const length = status === 304 ? 0 : Number(/content-length: *(\d+)/i.exec(this.#head)?.[1]);
    if (Number.isNaN(length)) return this.#ended.reject(new Error(`An answer does not say its length: ${this.#head}`));
    const before = this.#head.length - Math.min(chunk.length, 4096);
    this.#awaited = length;
    this.#head = '';
    this.#take(chunk.length - (end + 4 - before));
  }

  #take(bytes: number): void {
    this.#awaited -= bytes;
    if (this.#awaited > 0) return;
    this.#awaited = -1;
    this.times.push(performance.now() - this.#sent);
    this.#send();
  }
}
