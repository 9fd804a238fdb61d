import { setPriority } from 'node:os';

const NICENESS = 10;

/**
 * Lowers the priority of this thread, so that threads which answer people run first. Linux alone sets it for one thread;
 * elsewhere it would count for the whole process.
 */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') setPriority(NICENESS);
}
