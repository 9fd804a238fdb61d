import type { Log } from '#platform/log.ts';

/** Work that no answer waits for, since the time of an answer would tell whether an account exists. */
export class Background {
  readonly #log: Log;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Log) {
    this.#log = log;
  }

  run(work: () => Promise<void>): void {
    const promise = work()
      .catch((error: unknown) => this.#log.error({ err: error }, 'work behind an answer failed'))
      .finally(() => this.#running.delete(promise));
    this.#running.add(promise);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
