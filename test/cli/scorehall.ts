import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { run } from '#cli/dispatch.ts';
import { captured } from '#test/support/captured.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child.ts';

export const MAIN = join(dirname(dirname(import.meta.dirname)), 'src/main.ts');

export interface Ran {
  status: number | null;
  out: string;
  err: string;
}

/** Runs a command in this process, with the given environment instead of the process's. */
export const scorehall = (environment: NodeJS.ProcessEnv, ...args: string[]): Promise<Ran> =>
  scorehallWith('', environment, ...args);

/** As `scorehall`, with text on stdin. */
export async function scorehallWith(stdin: string, environment: NodeJS.ProcessEnv, ...args: string[]): Promise<Ran> {
  // Beside PostgreSQL the log would be in the folder of the project.
  const off = /^postgres/.test(environment['DATABASE_URL'] ?? '') ? { REVOCATION_LOG: 'off' } : {};
  const {
    result: status,
    out,
    err,
  } = await captured({ environment: { ...off, ...environment }, stdin }, () => run(args));
  return { status, out, err };
}

/** Runs a command in its own process and blocks this process until it ends. */
export function scorehallProcess(stdin: string, environment: NodeJS.ProcessEnv, ...args: string[]): Ran {
  const env = { ...CHILD_ENVIRONMENT, ...environment };
  const options = { env, encoding: 'utf8', input: stdin } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], options);
  return { status, out: stdout, err: stderr };
}

/** The service in its own process. */
export interface Served {
  child: ChildProcess;
  exit: Promise<[number | null, NodeJS.Signals | null]>;
  addresses: Record<string, string>;
  /** The log lines so far. */
  log: { level: number; msg: string; err?: { message: string } }[];
  /** The output of the service so far. */
  output: () => string;
}

/** Starts the service on free ports and reads them from its log. */
export async function serve(environment: NodeJS.ProcessEnv): Promise<Served> {
  const listens = Object.fromEntries(
    ['API', 'AUTH', 'SITE', 'INGEST', 'INTERNAL'].map((service) => [`${service}_LISTEN`, '127.0.0.1:0']),
  );
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: { ...CHILD_ENVIRONMENT, ...listens, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const addresses: Record<string, string> = {};
  const log: Served['log'] = [];
  createInterface({ input: child.stderr }).on('line', (text) => {
    const line = JSON.parse(text) as Served['log'][number] & { service?: string; address?: string };
    log.push(line);
    const { service, address } = line;
    if (service !== undefined && address !== undefined) addresses[service] = address;
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await Promise.race([once(child.stdout, 'data'), exit]);
  return { child, exit, addresses, log, output: () => printed };
}
