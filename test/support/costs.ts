/** CPU and elapsed time of each test: a test is charged from its start to the start of the next one. A test that hangs ends the run. */
import { relative } from 'node:path';
import { after, beforeEach, type TestContext } from 'node:test';
import { cpuSeconds } from './cpu.ts';
import { releaseAfterEnd } from './release.ts';

/** Length of each list: files and tests. */
const LISTED = 10;

interface Cost {
  cpu: number;
  wall: number;
}

const files = new Map<string, Cost>();
const tests = new Map<string, Cost>();
let running: { file: string; name: string; since: Cost } | undefined;

/** The full name of the running or last test. */
export const runningTest = (): string => running?.name ?? 'the start of the run';

/**
 * Registers the hooks, outside of all tests and before theirs, so that they run before and after each test.
 * The time-out of the runner covers no test inside of `describe`: one that takes `maxMs` ends the process.
 */
export function measure(maxMs: number): void {
  const watchdog = setTimeout(() => {
    console.error(`"${runningTest()}" did not end within ${maxMs / 1_000} s.`);
    process.exit(1);
  }, maxMs).unref();
  beforeEach((t) => {
    watchdog.refresh();
    begin(t as TestContext);
    releaseAfterEnd(t as TestContext);
  });
  // The browser and other shared processes end after the last test, which is not charged for them.
  after(() => begin({ filePath: '', fullName: 'processes that outlive their tests' }));
}

function begin({ filePath = '', fullName }: Pick<TestContext, 'filePath' | 'fullName'>): void {
  end();
  running = { file: filePath && relative(process.cwd(), filePath), name: fullName, since: used() };
}

function end(): void {
  if (running === undefined) return;
  const { file, name, since } = running;
  const now = used();
  const cost = { cpu: now.cpu - since.cpu, wall: now.wall - since.wall };
  add(files, file || name, cost);
  add(tests, file ? `${file}: ${name}` : name, cost);
}

/** The lines of the files and tests with the highest CPU time. */
export function* costs(): Generator<string> {
  end();
  yield* list('test files', files);
  yield* list('tests', tests);
}

/** CPU time of the tests, of the processes that they started and that have ended, and of PostgreSQL. */
function used(): Cost {
  return { cpu: cpuSeconds(process.env['TEST_POSTGRES_PID']), wall: performance.now() / 1_000 };
}

function add(to: Map<string, Cost>, key: string, { cpu, wall }: Cost): void {
  const sum = to.get(key) ?? { cpu: 0, wall: 0 };
  to.set(key, { cpu: sum.cpu + cpu, wall: sum.wall + wall });
}

function* list(title: string, all: Map<string, Cost>): Generator<string> {
  const listed = Number(process.env['TEST_LISTED'] ?? LISTED);
  const costly = [...all].toSorted(([, a], [, b]) => b.cpu - a.cpu).slice(0, listed);
  yield `\nThe ${title} that took the most CPU time, in seconds of CPU and of the clock:\n`;
  for (const [name, { cpu, wall }] of costly)
    yield `${cpu.toFixed(1).padStart(6)} ${wall.toFixed(1).padStart(6)}  ${name}\n`;
}
