import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from './programs.ts';

const MAIN = join(ROOT, 'src/main.ts');

export interface Installation extends AsyncDisposable {
  child: ChildProcess;
  /** Milliseconds from the call of the program to `ready`. */
  startMs: number;
  stop(): Promise<void>;
}

/** Starts `node src/main.ts serve` as the unit and the image do, with exactly these settings. */
export async function serveInstallation(settings: NodeJS.ProcessEnv): Promise<Installation> {
  const started = performance.now();
  const child = spawn(process.execPath, [MAIN, 'serve'], {
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
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    env: environmentWith(settings),
    encoding: 'utf8',
  });
  if (stderr !== '') console.error(stderr);
  return { status, output: stdout };
}

const environmentWith = (settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  ...settings,
});
