import { connect, type Socket } from 'node:net';

/** The bytes of a request, prepared once so that generating load takes little CPU time. */
export function rawPost(path: string, token: string, body: string, type = 'application/json'): Buffer {
  const bytes = Buffer.from(body);
  const head =
    `POST ${path} HTTP/1.1\r\nhost: loadtest\r\nauthorization: Bearer ${token}\r\ncontent-type: ${type}\r\n` +
    `content-length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

export function rawGet(path: string, token: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: loadtest\r\nauthorization: Bearer ${token}\r\n\r\n`);
}

const END_OF_HEAD = '\r\n\r\n';
const LENGTH = '\r\ncontent-length: ';

const BUFFER_BYTES = 64 * 1024;

/** A keep-alive connection for one request at a time. Responses must have a Content-Length. */
export class RawClient {
  readonly #socket: Socket;
  #pending: { resolve(response: string): void; reject(error: Error): void } | undefined;
  #received = '';

  constructor(port: number) {
    // Reading into one buffer takes a fraction of the CPU time of a stream.
    const onData = (count: number, bytes: Uint8Array): boolean =>
      this.#receive((bytes as Buffer).toString('latin1', 0, count));
    const onread = { buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES), callback: onData };
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    this.#socket.on('error', (error) => this.#pending?.reject(error));
    this.#socket.on('close', () => this.#pending?.reject(new Error('The service closed the connection.')));
  }

  /** @returns the whole response, head and body, decoded as latin1: one character per byte */
  send(request: Buffer): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#pending = { resolve, reject };
    this.#socket.write(request);
    return promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Returns true, which keeps the socket reading. */
  #receive(text: string): true {
    this.#received += text;
    const head = this.#received.indexOf(END_OF_HEAD);
    if (head < 0) return true;
    const end = head + END_OF_HEAD.length + lengthIn(this.#received);
    if (this.#received.length < end) return true;
    const response = this.#received.slice(0, end);
    this.#received = this.#received.slice(end);
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.resolve(response);
    return true;
  }
}

function lengthIn(response: string): number {
  const start = response.indexOf(LENGTH);
  return start < 0 ? 0 : Number.parseInt(response.slice(start + LENGTH.length, start + LENGTH.length + 12), 10);
}
