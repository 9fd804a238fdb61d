import { setTimeout as pause } from 'node:timers/promises';

/** serialization_failure and deadlock_detected: the server has rolled the transaction back, and it may succeed again. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 5;

/**
 * Repeats a transaction that lost a conflict with another one. The order of locks (`Keys.lock`) avoids deadlocks among our
 * own statements; foreign keys, triggers and other programs may still cause one.
 */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !CONFLICTS.has((error as { code?: unknown }).code)) throw error;
    }
    await pause(Math.random() * 10 * attempt);
  }
}
