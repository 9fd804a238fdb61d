import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Runs `scorehall import` in a separate process, as an operator would. */

const MAIN = join(import.meta.dirname, '../../src/main.ts');
export const USER = 'reader';
export const PASSWORD = 'a password that nothing repeats';

/** The running commands, which are killed when the load test ends or is interrupted. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface ImportResult {
  taken: number;
  unchanged: number;
  refused: number;
  refusals: { reason: string }[];
  notes: { note: string }[];
}

export interface Ran {
  status: number | null;
  out: string;
  err: string;
  seconds: number;
  /** Peak memory of the process in MB; undefined if the system does not report it. */
  peakMb: number | undefined;
}

export async function runImport(
  databaseUrl: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  const started = performance.now();
  const child = start(databaseUrl, args, environment);
  let [out, err] = ['', ''];
  child.stdout!.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => (err += chunk.toString()));
  let peakMb: number | undefined;
  const timer = setInterval(() => (peakMb = readPeakMemory(child) ?? peakMb), 100);
  const [status] = (await once(child, 'close')) as [number | null];
  clearInterval(timer);
  return { status, out, err, seconds: (performance.now() - started) / 1000, peakMb };
}

export function resultOf({ status, out, err }: Ran): ImportResult {
  if (status === 0) return JSON.parse(out) as ImportResult;
  throw new Error(`The import failed: ${err}${out}`);
}

/** An import with `--follow`; `line` waits for the next output line with the text. */
export interface Following {
  line(text: string): Promise<string>;
  stop(): Promise<number | null>;
}

export function followImport(databaseUrl: string, args: readonly string[]): Following {
  const child = start(databaseUrl, args);
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    line: async (text) => {
      for (;;) {
        const { done, value } = (await lines.next()) as IteratorResult<string, undefined>;
        if (done === true) throw new Error(`The import ended before it printed "${text}".`);
        if (value.includes(text)) return value;
      }
    },
    stop: async () => {
      child.kill('SIGTERM');
      const [status] = (await once(child, 'exit')) as [number | null];
      return status;
    },
  };
}

function start(databaseUrl: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [MAIN, 'import', ...args], {
    env: {
      PATH,
      DATABASE_URL: databaseUrl,
      REVOCATION_LOG: 'off',
      IMPORT_PASSWORD: PASSWORD,
      LOG_LEVEL: 'info',
      ...secretEnvironment(databaseUrl),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

const secretEnvironment = (databaseUrl: string): NodeJS.ProcessEnv =>
  /^postgres/.test(databaseUrl) ? { SECRET_KEY: 'a secret that is long enough for tests' } : {};

function readPeakMemory({ pid }: ChildProcess): number | undefined {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
  } catch {
    return undefined;
  }
}
