import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import type { Log } from '#platform/log.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** What a process says while it serves, each with its level; what is printed past the log is an error, too. */
export class LogRecorder {
  readonly levels: string[] = [];
  #heard = Promise.withResolvers<void>();

  constructor(t: TestContext, log: Log) {
    for (const level of LEVELS) t.mock.method(log, level, () => this.#hear(level));
    t.mock.method(console, 'error', () => this.#hear('error'));
  }

  /** Waits until something is said. */
  async something(): Promise<void> {
    await this.#heard.promise;
  }

  forget(): void {
    this.levels.length = 0;
    this.#heard = Promise.withResolvers<void>();
  }

  #hear(level: string): void {
    this.levels.push(level);
    this.#heard.resolve();
  }
}

/** Sends the beginning of a request, and breaks the connection off once the service has begun to read it. */
export async function disconnect(origin: string, text: string): Promise<void> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  // The answer that there is more to be read says that the request is under way.
  socket.write(text.replace('\r\n\r\n', '\r\nexpect: 100-continue\r\n\r\n'));
  await new Promise((resolve) => socket.once('data', resolve));
  socket.resetAndDestroy();
}
