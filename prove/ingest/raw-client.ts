import { connect, type Socket } from 'node:net';

/** A request as bytes, so that the load costs the machine as little as can be. */
export function rawPost(path: string, token: string, body: string, type = 'application/json'): Buffer {
  const bytes = Buffer.from(body);
  const head =
    `POST ${path} HTTP/1.1\r\nhost: prove\r\nauthorization: Bearer ${token}\r\ncontent-type: ${type}\r\n` +
    `content-length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

export function rawGet(path: string, token: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: prove\r\nauthorization: Bearer ${token}\r\n\r\n`);
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** One kept connection that sends a request, waits for the answer and sends the next. */
export class RawClient {
  readonly #socket: Socket;
  #answer: { resolve(answer: string): void; reject(error: Error): void } | undefined;
  #got: Buffer = Buffer.alloc(0);

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1').setNoDelay(true);
    this.#socket.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#socket.on('error', (error) => this.#answer?.reject(error));
    this.#socket.on('close', () => this.#answer?.reject(new Error('the connection was closed')));
  }

  /** @returns the whole answer, head and body */
  ask(request: Buffer): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#answer = { resolve, reject };
    this.#socket.write(request);
    return promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#got = this.#got.length === 0 ? chunk : Buffer.concat([this.#got, chunk]);
    const end = this.#got.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const head = this.#got.toString('latin1', 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#got.length < end + 4 + length) return;
    const answer = this.#got.toString('utf8', 0, end + 4 + length);
    this.#got = this.#got.subarray(end + 4 + length);
    const waiting = this.#answer;
    this.#answer = undefined;
    waiting?.resolve(answer);
  }
}
