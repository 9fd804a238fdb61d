import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer, type Server } from 'node:tls';
import type { Certificates } from '../support/certificates.ts';

/** Accepts TLS connections and passes their bytes on to a port of this machine. */
export class TlsProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  private constructor(target: number, { certificate, key }: Certificates) {
    this.#server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (client) => {
      const upstream = connect(target, '127.0.0.1');
      this.#join(client, upstream);
      this.#join(upstream, client);
    });
  }

  static async open(target: number, certificates: Certificates): Promise<TlsProxy> {
    const proxy = new TlsProxy(target, certificates);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** An error, such as a killed service, closes both sides; the agent sees a lost connection. */
  #join(from: Socket, to: Socket): void {
    this.#open.add(from);
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#open.delete(from);
      to.destroy();
    });
    from.pipe(to);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
