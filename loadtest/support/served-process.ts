import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePorts } from '#test/support/ports.ts';

/** Scorehall in a separate process, started like an operator would. */
export interface ServedProcess {
  child: ChildProcess;
  api: number;
  ingest: number;
  auth: number;
  site: number;
  internal: number;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** The running services, which are killed when the load test ends or is interrupted. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(128 + constants.signals[signal]));
}

const MAIN = join(import.meta.dirname, '../../src/main.ts');

/** Starts a service on a database. Pass `ports` to restart it on the same ports, `log` to write its log into a file. */
export async function serveProcess(
  databaseUrl: string,
  {
    ports,
    options = [],
    environment = {},
    log,
  }: { ports?: Ports; options?: string[]; environment?: NodeJS.ProcessEnv; log?: string } = {},
): Promise<ServedProcess> {
  const { api, ingest, auth, site, internal } = ports ?? (await freeServicePorts());
  const child = spawn(process.execPath, [...process.execArgv, ...options, MAIN, 'serve'], {
    env: {
      ...process.env,
      // The quota of one server is far below the load of a test.
      INGEST_WEIGHT_LIMIT: '0',
      NEW_PLAYERS_LIMIT: '0',
      DATABASE_URL: databaseUrl,
      LOG_LEVEL: 'silent',
      INTERNAL_LISTEN: `127.0.0.1:${internal}`,
      API_URL: `http://127.0.0.1:${api}`,
      INGEST_URL: `http://127.0.0.1:${ingest}`,
      AUTH_URL: `http://127.0.0.1:${auth}`,
      SITE_URL: `http://127.0.0.1:${site}`,
      ...environment,
    },
    stdio: ['ignore', 'pipe', log === undefined ? 'inherit' : openSync(log, 'a')],
  });
  running.add(child);
  const exit = once(child, 'exit').finally(() => running.delete(child));
  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exit;
  };
  await ready(child);
  return { child, api, ingest, auth, site, internal, kill };
}

const TICK_US = 10_000;

/** The CPU time that a service has used, in microseconds; undefined outside Linux. */
export function cpuOf({ child }: ServedProcess): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const [, fields = ''] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user! + system!) * TICK_US;
}

async function ready(child: ChildProcess): Promise<void> {
  for await (const line of createInterface({ input: child.stdout! })) if (/\bready\b/.test(line)) return;
  throw new Error('The service exited before it was ready; its errors are printed above.');
}

export interface Ports {
  api: number;
  ingest: number;
  auth: number;
  site: number;
  internal: number;
}

/** Five different ports that are free at the time of the call. */
export async function freeServicePorts(): Promise<Ports> {
  const [api, ingest, auth, site, internal] = await freePorts(5);
  return { api: api!, ingest: ingest!, auth: auth!, site: site!, internal: internal! };
}
