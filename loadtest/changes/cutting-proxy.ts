import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Random } from '#demo/network/random.ts';

/** A TCP proxy that cuts connections in the middle of what they transfer, and whose target can change. */
export class CuttingProxy implements Disposable {
  readonly port: number;
  cuts = 0;
  readonly #server: Server;
  readonly #random: Random;
  readonly #sockets = new Set<Socket>();
  #due = 0;

  private constructor(server: Server, target: () => number | undefined, random: Random) {
    this.#server = server;
    this.#random = random;
    this.port = (server.address() as { port: number }).port;
    server.on('connection', (near) => this.#forward(near, target()));
  }

  /** @param target the port for a new connection; undefined refuses it */
  static async open(target: () => number | undefined, random: Random): Promise<CuttingProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CuttingProxy(server, target, random);
  }

  /** Cuts the connection that transfers the next bytes, after a part of them. */
  cutNext(): void {
    this.#due++;
  }

  get cutsDue(): number {
    return this.#due;
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #forward(near: Socket, target: number | undefined): void {
    if (target === undefined) return void near.destroy();
    const far = connect(target, '127.0.0.1');
    const cut = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (bytes: Buffer) => {
        if (this.#due === 0 || this.#random.chance(0.5)) return void to.write(bytes);
        this.#due--;
        this.cuts++;
        to.write(bytes.subarray(0, this.#random.below(bytes.length)), cut);
      });
      from.on('error', cut);
      from.on('close', () => (cut(), this.#sockets.delete(from)));
    }
  }
}
