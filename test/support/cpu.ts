import { readFileSync } from 'node:fs';

/** Linux reports the CPU time of a process in ticks of 10 ms. */
const TICKS_A_SECOND = 100;

/** CPU seconds of this process with its threads and ended children, plus those of another process and its ended children. */
export function cpuSeconds(otherPid?: string): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childCpuSeconds() + (otherPid === undefined ? 0 : sum(readStat(otherPid)));
}

/** CPU seconds of the children that this process has waited for, as RUSAGE_CHILDREN; 0 without /proc. */
export const childCpuSeconds = (): number => sum(readStat('self').slice(2));

const sum = (ticks: number[]): number => ticks.reduce((total, some) => total + some, 0) / TICKS_A_SECOND;

/** @returns utime, stime, cutime and cstime of proc_pid_stat(5), in ticks */
function readStat(pid: string): number[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name, in parentheses before these fields, can contain any character.
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
      .map(Number);
  } catch {
    return [];
  }
}
