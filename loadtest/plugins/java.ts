import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { buildPlugins, type Jdk } from '../../scripts/plugins.ts';

const run = promisify(execFile);

const PACKAGES = join(import.meta.dirname, '../../packages');
const DRIVER = join(import.meta.dirname, 'driver');
const STRICT = ['-Xlint:all', '-Werror', '--release', '17', '-encoding', 'UTF-8'];

const JARS = ['Scorehall.jar', 'ScorehallPGM.jar', 'ScorehallVelocity.jar'];

/** The folders of stubs and of the driver, each with its class path. */
const MODULES: readonly { name: string; sources: string; needs: string[] }[] = [
  { name: 'bukkit', sources: join(PACKAGES, 'bukkit-plugin/stubs/org'), needs: [] },
  { name: 'placeholders', sources: join(PACKAGES, 'bukkit-plugin/stubs/me'), needs: ['bukkit'] },
  { name: 'pgm', sources: join(PACKAGES, 'pgm-plugin/stubs'), needs: ['bukkit'] },
  { name: 'velocity', sources: join(PACKAGES, 'velocity-plugin/stubs'), needs: [] },
  { name: 'driver', sources: DRIVER, needs: ['bukkit', 'placeholders', 'pgm', 'velocity', ...JARS] },
];

/** Runs the driver. */
export interface JavaDriver {
  /** Runs a command on a server without PlaceholderAPI; returns its output. */
  run(...args: string[]): Promise<string>;
  /** Starts a server that answers commands. */
  start(...args: string[]): DriverSession;
}

/** A running driver, which answers each line with one line of JSON. */
export class DriverSession implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(classPath: string, args: readonly string[]) {
    this.#child = spawn('java', ['-cp', classPath, 'Driver', ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  async ask(...command: string[]): Promise<unknown> {
    this.#child.stdin!.write(`${command.join(' ')}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`The driver ended at: ${command.join(' ')}`);
    return JSON.parse(value as string);
  }

  async kill(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.stdin!.end();
    await exit;
  }
}

/** Builds the jars of the plugins into `output`, and compiles the driver, without warnings. */
export async function compileDriver(jdk: Jdk, output: string): Promise<JavaDriver> {
  const classPath = (names: readonly string[]): string => names.map((name) => join(output, name)).join(delimiter);
  await buildPlugins(jdk, output, ['-Xlint:all', '-Werror']);
  for (const { name, sources, needs } of MODULES) {
    const files = await readdir(sources, { recursive: true });
    const java = files.filter((file) => file.endsWith('.java')).map((file) => join(sources, file));
    await run(jdk.javac, [...STRICT, '-cp', classPath(needs), '-d', join(output, name), ...java]);
  }
  const all = ['driver', ...MODULES.find(({ name }) => name === 'driver')!.needs];
  const alone = classPath(all.filter((name) => name !== 'placeholders'));
  return {
    run: async (...args) => (await run('java', ['-cp', alone, 'Driver', ...args], { timeout: 60_000 })).stdout,
    start: (...args) => new DriverSession(classPath(all), args),
  };
}
