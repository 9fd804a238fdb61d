import { systemClock } from '#platform/clock.ts';

/** The last transactions of a database in one thread, by which `/readyz` and the metrics know whether it can be written. */
export class Outages {
  /** Epoch milliseconds of the last commit and of the last statement or transaction that failed as an outage; 0: none. */
  lastCommit = 0;
  lastFailure = 0;
  /** Of the last one that failed for lack of space; small writes may still succeed then. */
  lastFull = 0;
  /** Called at the first commit after a failure, with the duration of the outage as this thread has seen it. */
  onEnd: (outageMs: number) => void = () => undefined;
  #began: number | undefined;

  committed(): void {
    this.lastCommit = systemClock.now();
    if (this.#began === undefined) return;
    this.onEnd(this.lastCommit - this.#began);
    this.#began = undefined;
  }

  failed({ isFull }: { isFull: boolean }): void {
    this.lastFailure = systemClock.now();
    if (isFull) this.lastFull = this.lastFailure;
    this.#began ??= this.lastFailure;
  }
}
