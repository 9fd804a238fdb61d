import { setTimeout } from 'node:timers/promises';

/** The source of the current time. Tests replace it with a clock that they set. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** The clock of a process, which also has timers. */
export interface TimerClock extends Clock {
  /** Resolves after `ms` milliseconds, or at once when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: TimerClock = {
  now: () => Date.now(),
  wait: async (ms, signal) => {
    await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  },
};
