import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A TCP proxy that drops connections: a fraction of them is cut after a random number of bytes, in the middle of a request
 * or of a response. The others are closed after 200,000 bytes, so that there are many connections.
 */
export class UnreliableProxy {
  readonly port: number;
  opened = 0;
  dropped = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async open(target: number, dropRate: number): Promise<UnreliableProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const link = new UnreliableProxy(server, (server.address() as { port: number }).port);
    server.on('connection', (near) => link.#forward(near, target, dropRate));
    return link;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #forward(near: Socket, target: number, dropRate: number): void {
    this.opened++;
    const far = connect(target, '127.0.0.1');
    const cut = (): void => {
      near.destroy();
      far.destroy();
    };
    const drops = Math.random() < dropRate;
    const maxBytes = drops ? Math.floor(Math.random() * 60_000) : 200_000;
    let bytes = 0;
    const pass = (from: Socket, to: Socket): void => {
      from.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes < maxBytes) return void to.write(chunk);
        if (drops) this.dropped++;
        cut();
      });
      from.on('error', cut);
      from.on('close', cut);
    };
    for (const socket of [near, far]) this.#sockets.add(socket.once('close', () => this.#sockets.delete(socket)));
    pass(near, far);
    pass(far, near);
  }
}
