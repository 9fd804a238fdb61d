import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Abuser, Target } from './abuser.ts';

/** The responses that an abuser got. */
export interface Outcome {
  statuses: string;
  isOrderly: boolean;
}

/** An abuser at work in a separate thread (abuser-worker.ts). */
export class Attack {
  readonly #worker: Worker;
  readonly #outcome: Promise<Outcome>;

  constructor({ name }: Abuser, target: Target) {
    this.#worker = new Worker(new URL('./abuser-worker.ts', import.meta.url), { workerData: { name, target } });
    this.#outcome = once(this.#worker, 'message').then(([outcome]) => outcome as Outcome);
    // An attack that fails immediately must not count as harmless; `end` reports it.
    this.#outcome.catch(() => undefined);
  }

  async end(): Promise<Outcome> {
    this.#worker.postMessage('stop', []);
    return await this.#outcome;
  }
}
