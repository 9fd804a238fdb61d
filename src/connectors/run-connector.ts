import { systemClock } from '#platform/clock.ts';
import type { Log } from '#platform/process/log.ts';

const TICK_MS = 1_000;

interface Connector extends AsyncDisposable {
  tick(): Promise<void>;
}

/** Ticks a connector each second until it is disposed, and disposes the connector. */
export function runConnector(log: Log, connector: Connector, failure: string): AsyncDisposable {
  const stop = new AbortController();
  const running = run();
  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      await connector.tick().catch((error: unknown) => log.error({ err: error }, failure));
      await systemClock.wait(TICK_MS, stop.signal);
    }
  }
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await connector[Symbol.asyncDispose]();
    },
  };
}
