import { setPriority } from 'node:os';

const NICENESS = 10;

/** Lets others go first where they want the same core. On Linux this says it of the thread alone, elsewhere of all. */
export function giveWay(): void {
  if (process.platform === 'linux') setPriority(NICENESS);
}
