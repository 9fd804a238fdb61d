import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePorts } from '#test/support/ports.ts';
import { ROOT } from '../support/programs.ts';
import { SERVICES } from './proxy.ts';

const MAIN = join(ROOT, 'src/main.ts');

export interface Installation extends AsyncDisposable {
  child: ChildProcess;
  /** Milliseconds from the call of the program to `ready`. */
  startMs: number;
  stop(): Promise<void>;
}

/** Settings with addresses of all services on free ports of this machine. */
export async function freeAddresses(): Promise<NodeJS.ProcessEnv> {
  const ports = await freePorts(SERVICES.length);
  return Object.fromEntries(SERVICES.map((service, index) => [`${service}_URL`, `http://127.0.0.1:${ports[index]}`]));
}

/**
 * Starts `node src/main.ts serve` as the unit and the image do, with exactly these settings.
 * @param within a command that executes the command of the service, which is appended to it
 * @param program the folder of the version to start; by default this one
 */
export async function serveInstallation(
  settings: NodeJS.ProcessEnv,
  within: readonly string[] = [],
  program = ROOT,
): Promise<Installation> {
  const started = performance.now();
  const [command, ...args] = [...within, process.execPath, join(program, 'src/main.ts'), 'serve'];
  const child = spawn(command!, args, {
    env: environmentWith(settings),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = once(child, 'exit');
  const ended = exited.then(() => Promise.reject(new Error('The service ended before it was ready; see above.')));
  await Promise.race([once(child.stdout!, 'data'), ended]);
  ended.catch(() => undefined);
  const startMs = performance.now() - started;
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exited;
    process.off('exit', kill);
  };
  return { child, startMs, stop, [Symbol.asyncDispose]: stop };
}

/** Runs a command of an installation. */
export function runCommand(settings: NodeJS.ProcessEnv, ...args: string[]): { status: number | null; output: string } {
  const { status, output, errors } = runWithin([], settings, ...args);
  if (errors !== '') console.error(errors);
  return { status, output };
}

/** Runs a command of an installation under a prefix such as `unshare -rn`. */
export function runWithin(
  within: readonly string[],
  settings: NodeJS.ProcessEnv,
  ...args: string[]
): { status: number | null; output: string; errors: string } {
  const [command, ...rest] = [...within, process.execPath, MAIN, ...args];
  const { status, stdout, stderr } = spawnSync(command!, rest, { env: environmentWith(settings), encoding: 'utf8' });
  return { status, output: stdout, errors: stderr };
}

/** Starts a command of an installation, whose output can be read while it runs. */
export function startCommand(settings: NodeJS.ProcessEnv, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], {
    env: environmentWith(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const environmentWith = (settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  // As the unit and the image do, caches stripped and compiled modules.
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  ...settings,
});
