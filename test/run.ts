/**
 * Runs the tests in one process against one real PostgreSQL, and ends with the line `N passed, N failed`.
 *
 *   npm test                            all of them
 *   npm test -- test/api db.test        those whose path contains one of these
 *   npm test -- --test-name-pattern=…   options of node --test
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { childCpuSeconds } from './support/cpu.ts';
import type { Counts } from './support/reporter.ts';
import { openRunFolder, type RunFolder } from './support/run-folder.ts';

/** Ends a test that hangs; a machine with much else to do makes the longest take a minute. */
const TEST_TIMEOUT_MS = 180_000;
const GRACE_MS = 3_000;

/** The environment of tests, without the settings of an operator such as DATABASE_URL. */
const PASSED_ON = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TERM|CI|NO_COLOR|FORCE_COLOR|NODE_.*|npm_.*|TEST_.*)$/;

let interrupted: NodeJS.Signals | undefined;
let tests: ChildProcess | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    interrupted ??= signal;
    stop();
  });

process.chdir(dirname(import.meta.dirname));
const counts = await main(process.argv.slice(2));
console.log(`CPU: ${childCpuSeconds().toFixed(0)} s, all processes of the run together.`);
if (counts.skipped > 0) console.log('A test that is skipped or to do counts as a failure: it says nothing.');
if (counts.passed + counts.failed === 0) console.log('No test has run, which counts as a failure.');
console.log(
  `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
);
if (interrupted) process.exitCode = 128 + constants.signals[interrupted];
else process.exitCode = counts.failed + counts.skipped > 0 || counts.passed === 0 ? 1 : 0;

async function main(args: string[]): Promise<Counts> {
  const options = args.filter((arg) => arg.startsWith('-'));
  const files = select(args.filter((arg) => !arg.startsWith('-')));
  if (files.length === 0) return failure(`No test file has a path like ${args.join(' or ')}.`);
  try {
    await using folder = await openRunFolder();
    return interrupted ? failure('Interrupted.') : await run(folder, options, files);
  } catch (error) {
    return failure(error instanceof Error ? error.message : String(error));
  }
}

function select(parts: string[]): string[] {
  const files = globSync('test/**/*.test.ts').toSorted();
  const wanted = parts.map((part) => part.replace(/^\.\//, '').replace(/\/$/, ''));
  return wanted.length === 0 ? files : files.filter((file) => wanted.some((part) => file.includes(part)));
}

/** The tests form a process group, so that nothing they have started outlives them. */
async function run(folder: RunFolder, options: string[], files: string[]): Promise<Counts> {
  const file = join(folder.temporary, 'counts.json');
  const environment = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
  tests = spawn(process.execPath, [...options, join(import.meta.dirname, 'main.ts'), `${TEST_TIMEOUT_MS}`, ...files], {
    env: {
      ...Object.fromEntries(environment),
      TMPDIR: folder.temporary,
      TEST_COUNTS: file,
      TEST_POSTGRES_URL: folder.postgresUrl,
      TEST_POSTGRES_PID: folder.postgresPid?.toString(),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  const [code, signal] = (await once(tests, 'exit')) as [number | null, NodeJS.Signals | null];
  kill('SIGKILL');
  return judge(file, code, signal);
}

function judge(file: string, code: number | null, signal: NodeJS.Signals | null): Counts {
  const counts = readCounts(file);
  if (counts.ended && (code === 0 || counts.failed > 0)) return counts;
  const end = signal ?? `exit code ${code}`;
  console.log(interrupted ? `Interrupted by ${interrupted}.` : `The tests did not come to their end: ${end}.`);
  return { ...counts, failed: counts.failed + 1 };
}

function readCounts(file: string): Counts {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Counts;
  } catch {
    return { passed: 0, failed: 0, skipped: 0, ended: false };
  }
}

function failure(reason: string): Counts {
  console.error(reason);
  return { passed: 0, failed: 1, skipped: 0, ended: true };
}

function stop(): void {
  kill('SIGTERM');
  setTimeout(() => kill('SIGKILL'), GRACE_MS).unref();
}

function kill(signal: NodeJS.Signals): void {
  if (!tests?.pid) return;
  try {
    process.kill(-tests.pid, signal);
  } catch {
    // The whole group has ended.
  }
}
