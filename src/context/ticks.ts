import { systemClock } from '#platform/clock.ts';

const TICK_MS = 1_000;

/** Work that looks each second for what is due. */
export interface Ticking extends AsyncDisposable {
  tick(): Promise<void>;
}

/** Ticks each second until it is disposed, and then disposes the work. */
export function tickEachSecond(work: Ticking, failed: (error: unknown) => void): AsyncDisposable {
  const stop = new AbortController();
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await work.tick().catch(failed);
      await systemClock.wait(TICK_MS, stop.signal);
    }
  };
  const running = run();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await work[Symbol.asyncDispose]();
    },
  };
}
