import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const field = (type: string, text: string): Buffer => Buffer.from(`${type}${text}\0`);

/** The message with which a server ends a connection when it shuts down. */
function terminationMessage(): Buffer {
  const fields = [field('S', 'FATAL'), field('C', '57P01'), field('M', 'terminating connection')];
  const head = Buffer.from('E\0\0\0\0', 'latin1');
  head.writeInt32BE(5 + Buffer.concat(fields).length, 1);
  return Buffer.concat([head, ...fields, Buffer.alloc(1)]);
}

/** A StartupMessage with one more parameter. */
function withOption(startup: Buffer, value: string): Buffer {
  const result = Buffer.concat([startup.subarray(0, -1), field('options\0', value), Buffer.alloc(1)]);
  result.writeInt32BE(result.length, 0);
  return result;
}

/** The head of BackendKeyData, before the process id. */
const BACKEND_KEY = Buffer.from('K\0\0\0\x0c', 'latin1');

/** ReadyForQuery, outside a transaction. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** A proxy to a PostgreSQL database that a test can stop and start, or silence. */
export class DatabaseProxy {
  readonly url: string;
  /** Whether to end connections as soon as they are ready for a query, in the same packet. */
  terminates = false;
  /** Whether the sessions of new connections may only read, as on a standby. */
  readOnly = false;
  /** Whether new connections get another process id than their session has, as those of a pooler. */
  pools = false;
  /** The number of connections so far. */
  connections = 0;
  readonly #folder: string;
  readonly #target: string;
  readonly #path: string;
  readonly #sockets = new Set<Socket>();
  /** Those of them that lead to the server. */
  readonly #upstreams = new Set<Socket>();
  #silent = false;
  #server: Server | undefined;

  private constructor(databaseUrl: string, folder: string) {
    const url = new URL(databaseUrl);
    this.#folder = folder;
    this.#target = join(url.searchParams.get('host')!, `.s.PGSQL.${url.port || 5432}`);
    this.#path = join(folder, `.s.PGSQL.${url.port || 5432}`);
    url.searchParams.set('host', folder);
    this.url = url.href;
  }

  static async open(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(databaseUrl, await mkdtemp(join(tmpdir(), 'proxy-')));
    await proxy.start();
    return proxy;
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server = createServer((client) => this.#forward(client)).listen(this.#path, resolve);
    await promise;
  }

  /** Refuses new connections and breaks open ones. */
  async stop(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server?.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }

  /** Stops forwarding on all connections, new ones too, and closes none: like a host without power. */
  silence(): void {
    this.silenceNew();
    this.silenceOpen();
  }

  /** Accepts new connections without forwarding anything on them. */
  silenceNew(): void {
    this.#silent = true;
  }

  /** Stops forwarding on the open connections, like a firewall that has lost its state. */
  silenceOpen(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  /** Holds back the answers on the connections that are open. */
  silenceAnswers(): void {
    for (const upstream of this.#upstreams) upstream.pause();
  }

  /** The number of connections that are open. */
  get openConnections(): number {
    return this.#upstreams.size;
  }

  async untilConnections(count: number): Promise<void> {
    while (this.connections < count) await once(this.#server!, 'connection');
  }

  /** Forwards again, including the bytes that have arrived in the meantime. */
  resume(): void {
    this.#silent = false;
    for (const socket of this.#sockets) socket.resume();
  }

  #forward(client: Socket): void {
    this.connections++;
    const upstream = connect(this.#target);
    this.#upstreams.add(upstream);
    upstream.on('close', () => this.#upstreams.delete(upstream));
    client.once('data', (bytes: Buffer) => {
      upstream.write(this.readOnly ? withOption(bytes, '-c default_transaction_read_only=on') : bytes);
      client.on('data', (more: Buffer) => void upstream.write(more));
    });
    upstream.on('data', (bytes: Buffer) => {
      const key = this.pools ? bytes.indexOf(BACKEND_KEY) : -1;
      if (key >= 0) bytes.writeInt32BE(bytes.readInt32BE(key + BACKEND_KEY.length) ^ 1, key + BACKEND_KEY.length);
      if (this.terminates && bytes.subarray(-READY.length).equals(READY))
        client.end(Buffer.concat([bytes, terminationMessage()]));
      else client.write(bytes);
    });
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => (peer.destroy(), this.#sockets.delete(socket)));
      if (this.#silent) socket.pause();
    }
  }
}
