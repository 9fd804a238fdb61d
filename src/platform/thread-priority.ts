import { setPriority } from 'node:os';

const NICENESS = 10;

/**
 * Lowers the priority of this thread below those that answer requests. Linux only: elsewhere the call would lower the
 * priority of the whole process.
 */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') setPriority(NICENESS);
}
