import { setTimeout as pause } from 'node:timers/promises';

/** The primary result code of an error: the low byte of its extended code; 0 where it is not SQLite's. */
export const resultCode = (error: unknown): number => ((error as { errcode?: number } | null)?.errcode ?? 0) % 256;

export const SQLITE_BUSY = 5;

/**
 * Runs work that needs a lock of a file, which another connection may hold. Retries with pauses, because waiting inside
 * SQLite would block the event loop and thus the readers of this process.
 * @param pauseMs the next pause, from the number of the pauses so far
 * @throws the last error of SQLite once `timeoutMs` have passed
 */
export async function retryWhileLocked<T>(
  work: () => T,
  timeoutMs: number,
  pauseMs: (pauses: number) => number,
): Promise<T> {
  const started = performance.now();
  for (let pauses = 0; ; pauses++) {
    try {
      return work();
    } catch (error) {
      if (resultCode(error) !== SQLITE_BUSY || performance.now() - started > timeoutMs) throw error;
    }
    await pause(pauseMs(pauses));
  }
}
