import { once } from 'node:events';
import { createServer as createPlainServer, type Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { WebSocketServer, type WebSocket } from 'ws';

export const SECRET = 'aVerySecretManagementSecretOf40Letters00';

type Lists = Record<string, unknown>;

/** A management server: it answers requests with `lists`, and sends the messages of a test. */
export class ManagementResponder {
  readonly #sockets: WebSocketServer;
  readonly #server: Server;
  readonly #scheme: string;
  /** The results by method; a function answers in its own way. */
  lists: Lists | ((socket: WebSocket, id: number) => void) = {};
  /** The methods of all requests. */
  readonly requested: string[] = [];
  /** The entries with which bans were replaced, in the order in which they came. */
  readonly replaced: { player: { name: string }; reason: string }[] = [];
  /** Handshakes with the right secret. */
  connections = 0;

  private constructor(server: Server, scheme: string) {
    this.#server = server;
    this.#scheme = scheme;
    this.#sockets = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request, socket, head) => {
      // The client may reset a connection that it gives up, and the HTTP server has removed its own handler here.
      socket.on('error', () => undefined);
      if (request.headers.authorization !== `Bearer ${SECRET}`) {
        socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#opened(opened));
    });
  }

  static async open(t: TestContext, tls?: { key: string; cert: string }): Promise<ManagementResponder> {
    const server = tls === undefined ? createPlainServer() : createServer(tls);
    const responder = new ManagementResponder(server, tls === undefined ? 'ws://127.0.0.1' : 'wss://localhost');
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
      responder.drop();
      server.close();
    });
    return responder;
  }

  get url(): string {
    return `${this.#scheme}:${(this.#server.address() as AddressInfo).port}`;
  }

  send(message: unknown): void {
    for (const socket of this.#sockets.clients) socket.send(JSON.stringify(message));
  }

  /** Ends all connections without a word, as a power failure does. */
  drop(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  /** Announces each entry, as the game server does. */
  #replace(entries: typeof this.replaced): void {
    this.replaced.push(...entries);
    for (const entry of entries) this.send({ method: 'minecraft:notification/bans/added', params: [entry] });
  }

  #opened(socket: WebSocket): void {
    this.connections += 1;
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => {
      const { id, method, params } = JSON.parse(data.toString()) as { id: number; method: string; params: unknown[] };
      this.requested.push(method);
      if (method === 'minecraft:bans/add') this.#replace(params[0] as typeof this.replaced);
      if (typeof this.lists === 'function') return this.lists(socket, id);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: this.lists[method] }));
    });
  }
}
