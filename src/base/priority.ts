import { constants, setPriority } from 'node:os';

const NICENESS = 10;

/** Lets others go first where they want the same core. On Linux this says it of the thread alone, elsewhere of all. */
export function giveWay(): void {
  be(NICENESS);
}

/** As `giveWay`, and lets those go first that give way themselves: for what nobody waits for. */
export function giveWayToAll(): void {
  be(constants.priority.PRIORITY_LOW);
}

function be(niceness: number): void {
  if (process.platform === 'linux') setPriority(niceness);
}
