import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Report } from '../report.ts';
import { startCommand } from './installation.ts';

const MAX_MEGABYTES = 300;
const STEADY_FACTOR = 1.25;
const SAMPLE_MS = 200;
/**
 * Fewer samples (two minutes) cannot show a growth, because Node's memory grows to its usual size in the first minute
 * of any program.
 */
const MIN_SAMPLES = 600;

interface Line {
  /** By `performance.now()`. */
  at: number;
  text: string;
}

/** One run of the command `move`. */
export interface MoveRun {
  code: number | null;
  started: number;
  ended: number;
  output: string;
  lines: Line[];
  /** Resident, every 200 ms. */
  megabytes: number[];
}

/** @param until the output after which the command is killed */
export async function runMove(settings: NodeJS.ProcessEnv, target: string, until?: RegExp): Promise<MoveRun> {
  const child = startCommand(settings, 'move', '--to', target);
  const started = performance.now();
  const run: MoveRun = { code: null, started, ended: started, output: '', lines: [], megabytes: [] };
  child.stdout!.resume();
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    run.output += text;
    for (const line of text.trimEnd().split('\n')) run.lines.push({ at: performance.now(), text: line });
    if (until?.test(run.output) === true) child.kill('SIGKILL');
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const sampler = setInterval(() => run.megabytes.push(...readMemory(child.pid!)), SAMPLE_MS);
  [run.code] = await exited;
  run.ended = performance.now();
  clearInterval(sampler);
  return run;
}

function readMemory(pid: number): number[] {
  if (process.platform !== 'linux') return [];
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? [] : [Number(kilobytes) / 1024];
  } catch {
    return [];
  }
}

/** Reports the seconds of each step: `Copying all tables.` … */
export function reportSteps(report: Report, name: string, { lines, started, ended }: MoveRun): void {
  const steps = [{ at: started, text: 'Start' }, ...lines.filter(({ text }) => !text.startsWith('read '))];
  for (const [place, { at, text }] of steps.entries()) {
    report.note(`${name}: ${text.slice(0, 40)}`, `${(((steps[place + 1]?.at ?? ended) - at) / 1000).toFixed(1)} s`);
  }
}

/** Reports the memory at 10, 50 and 90 % of the time, and whether the second half needs no more than the first. */
export function reportMemory(report: Report, name: string, { megabytes }: MoveRun): void {
  const at = (share: number): string => `${Math.round(megabytes[Math.floor(megabytes.length * share)] ?? 0)}`;
  const half = Math.ceil(megabytes.length / 2);
  const [early, late] = [Math.max(0, ...megabytes.slice(0, half)), Math.max(0, ...megabytes.slice(half))];
  const isFlat = megabytes.length < MIN_SAMPLES || late <= early * STEADY_FACTOR;
  const figure = `${at(0.1)}, ${at(0.5)}, ${at(0.9)} MB; at most ${Math.round(early)}, then ${Math.round(late)} MB`;
  report.add(`${name}: memory at 10, 50, 90 %; halves`, figure, isFlat && Math.max(early, late) <= MAX_MEGABYTES);
}
