import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** Which cores the threads of a process may run on: Linux tells below /proc, and the program `taskset` sets it. */
export interface Thread {
  id: number;
  name: string;
  /** Those that are there, in order. */
  cores: number[];
}

/** The cores of a list as Linux writes it, like `0-3,8`. */
export function coresOf(list: string): number[] {
  return list
    .trim()
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [first, last = first] = part.split('-').map(Number);
      return Array.from({ length: last! - first! + 1 }, (_, place) => first! + place);
    });
}

/** @throws an error of the file system where the process is gone, or the system is not Linux */
export function threadsOf(pid: number): Thread[] {
  const there = new Set(coresOf(readFileSync('/sys/devices/system/cpu/online', 'utf8')));
  return readdirSync(`/proc/${pid}/task`)
    .map((id) => threadOf(Number(id), statusOf(pid, id)))
    .map((thread) => ({ ...thread, cores: thread.cores.filter((core) => there.has(core)) }))
    .filter(({ cores }) => cores.length > 0);
}

function threadOf(id: number, status: string): Thread {
  const said = (what: string): string => new RegExp(`^${what}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
  return { id, name: said('Name'), cores: coresOf(said('Cpus_allowed_list')) };
}

/** Empty for a thread that has just ended. */
function statusOf(pid: number, thread: string): string {
  try {
    return readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
  } catch (error) {
    if (/^(ENOENT|ESRCH)$/.test((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

/**
 * Of these cores the one that devices interrupt the least: what the disk has to say while much is written may all come to
 * one. The last one where nothing tells.
 */
export function calmest(cores: readonly number[], interrupts = '/proc/interrupts'): number {
  const counts = countsOf(interrupts);
  return cores.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0) || b - a)[0]!;
}

/** The table has a column for each core and a line for each source; devices have numbers, the rest is the kernel's own. */
function countsOf(path: string): Map<number, number> {
  const [head, ...lines] = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [''];
  const cores = [...head!.matchAll(/CPU(\d+)/g)].map((found) => Number(found[1]));
  const counts = new Map<number, number>();
  for (const line of lines.filter((line) => /^\s*\d+:/.test(line))) {
    const columns = line.trim().split(/\s+/).slice(1);
    cores.forEach((core, place) => counts.set(core, (counts.get(core) ?? 0) + Number(columns[place] ?? 0)));
  }
  return counts;
}

/** Nanoseconds for which a thread has had a core so far. */
export const ranNs = (pid: number, thread: number): number => schedstat(pid, thread)[0]!;

/** Nanoseconds for which a thread has waited so far for a core that another one had. */
export const waitedNs = (pid: number, thread: number): number => schedstat(pid, thread)[1]!;

function schedstat(pid: number, thread: number): number[] {
  return readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ').map(Number);
}

/** It takes one thread at a time, so a shell calls it for each. */
const SET_EACH =
  'command -v taskset >/dev/null || { echo "taskset: not found" >&2; exit 0; }; ' +
  'cores=$1; shift; for thread; do taskset -cp "$cores" "$thread" >/dev/null; done; exit 0';

/**
 * Lets threads run on these cores only; one that has ended meanwhile is passed over.
 * @returns what the shell and `taskset` complained of
 */
export async function setCores(threads: readonly number[], cores: readonly number[]): Promise<string> {
  const { stderr } = await promisify(execFile)('sh', ['-c', SET_EACH, 'sh', cores.join(), ...threads.map(String)]);
  return stderr.trim();
}
