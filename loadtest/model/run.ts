import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { type Databases, databases, dialectsOf } from '../support/databases.ts';
import { type CaseResult, runCase } from './model-case.ts';

const MINUTE_MS = 60_000;
const MAX_SHOWN = 20;
const MAX_SEED = 2 ** 31;

/**
 * Runs random cases until the time is over, half of it on each database, or the one case of `--seed`. The seed
 * determines events, acts and kills. The operating system interleaves the processes, so that a difference may need
 * several runs to appear again.
 */
export async function runLoadTest({ database, seed, minutes }: LoadTestOptions, report: Report): Promise<void> {
  const dialects = dialectsOf(database);
  for (const dialect of dialects) {
    await using opened = await databases(dialect);
    const end = performance.now() + (minutes * MINUTE_MS) / dialects.length;
    const results: CaseResult[] = [];
    for (let isDone = false; !isDone; isDone = seed !== undefined || performance.now() > end) {
      results.push(await reportCase(opened, seed ?? Math.floor(Math.random() * MAX_SEED), report));
    }
    const sum = (of: (result: CaseResult) => number): number => results.reduce((total, one) => total + of(one), 0);
    report.note(
      `${dialect}: cases, events, kills`,
      `${results.length}, ${sum((one) => one.events)}, ${sum((one) => one.kills)}`,
    );
  }
}

async function reportCase(opened: Databases, seed: number, report: Report): Promise<CaseResult> {
  const { dialect } = opened;
  const result = await runCase(opened, seed);
  const { events, kills, differences } = result;
  const figure = `${differences.length}, ${events} events, ${kills} kills`;
  report.add(`${dialect}: differences in the case ${seed}`, figure, differences.length === 0);
  if (differences.length === 0) return result;
  for (const line of differences.slice(0, MAX_SHOWN)) console.log(`         ${line}`);
  console.log(`         Replay: npm run loadtest -- model --database ${dialect} --seed ${seed}`);
  return result;
}
