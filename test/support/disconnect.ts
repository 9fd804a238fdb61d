import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import type { Log } from '#platform/process/log.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Records the levels of log entries. Output to the console that bypasses the log counts as an error. */
export class LogRecorder {
  readonly levels: string[] = [];
  #recorded = Promise.withResolvers<void>();

  constructor(t: TestContext, log: Log) {
    for (const level of LEVELS) t.mock.method(log, level, () => this.#record(level));
    t.mock.method(console, 'error', () => this.#record('error'));
  }

  /** Waits until something is logged. */
  async something(): Promise<void> {
    await this.#recorded.promise;
  }

  forget(): void {
    this.levels.length = 0;
    this.#recorded = Promise.withResolvers<void>();
  }

  #record(level: string): void {
    this.levels.push(level);
    this.#recorded.resolve();
  }
}

/** Sends the beginning of a request and resets the connection after the service has started to read it. */
export async function disconnect(origin: string, text: string): Promise<void> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  // The response 100 Continue shows that the service is reading the request.
  socket.write(text.replace('\r\n\r\n', '\r\nexpect: 100-continue\r\n\r\n'));
  await new Promise((resolve) => socket.once('data', resolve));
  socket.resetAndDestroy();
}
