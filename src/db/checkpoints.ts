import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What both threads look at: how often something was committed, and whether it is over. */
export const COMMITS = 0;
export const ENDED = 1;

export interface CheckpointOrder {
  path: string;
  shared: Int32Array;
}

/**
 * Brings SQLite's log into the database file while it is written to, in a thread of its own (checkpoint-thread.ts):
 * whoever writes much would stop for a tenth of a second now and then to do it.
 */
export class Checkpoints {
  readonly #shared = new Int32Array(new SharedArrayBuffer(8));
  readonly #worker: Worker;

  constructor(path: string) {
    const order: CheckpointOrder = { path, shared: this.#shared };
    this.#worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
      workerData: order,
      resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
    });
  }

  /** Says that something was committed. */
  note(): void {
    Atomics.add(this.#shared, COMMITS, 1);
    Atomics.notify(this.#shared, COMMITS);
  }

  async close(): Promise<void> {
    Atomics.store(this.#shared, ENDED, 1);
    Atomics.notify(this.#shared, ENDED);
    this.note();
    await once(this.#worker, 'exit');
  }
}
