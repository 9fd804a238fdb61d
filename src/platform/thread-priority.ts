import { setPriority } from 'node:os';

const NICENESS = 10;

/**
 * Lowers the priority of this thread, so that threads that answer requests run first. Linux only: elsewhere the call would
 * lower the priority of the whole process.
 */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') setPriority(NICENESS);
}
