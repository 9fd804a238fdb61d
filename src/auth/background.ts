import type { Log } from '#platform/process/log.ts';
import { clientInfo } from './client-info.ts';

/** Runs work after the response, because the response time would otherwise reveal whether an account exists. */
export class Background {
  readonly #log: Log;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Starts the work when the current request has been answered; outside of a request, immediately. */
  run(work: () => Promise<void>): void {
    const promise = Promise.resolve(clientInfo.getStore()?.answered)
      .then(work)
      .catch((error: unknown) => this.#log.error({ err: error }, 'background work failed'))
      .finally(() => this.#running.delete(promise));
    this.#running.add(promise);
  }

  /** Resolves when the work under way has ended; failed work is logged and does not reject. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
