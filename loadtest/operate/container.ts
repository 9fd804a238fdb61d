import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome } from './engine.ts';
import { findProgram, ROOT, runProgram } from '../support/programs.ts';

/** The oldest Debian that the documents name, and the one after it. */
export const SUITES = ['bookworm', 'trixie'] as const;

export type Suite = (typeof SUITES)[number];

/** In addition to a minimal Debian, only the packages that docs/operations.md names. */
const PACKAGES = ['systemd-sysv', 'libatomic1', 'dbus', 'xz-utils'];
const BOOT_WITHIN_S = 60;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A Debian that was started by its own systemd. */
export interface Container extends AsyncDisposable {
  run(command: readonly string[], stdin?: string): Outcome;
  /** Runs a shell script, which ends at the first command that fails. */
  shell(script: string, stdin?: string): Outcome;
  /** Starts a program, whose output can be read while it runs. */
  start(command: readonly string[]): ChildProcess;
  /** Runs a program of this machine in the network of the container, as if it were one of its programs. */
  beside(command: readonly string[]): Outcome;
  /** The same without waiting for its end. */
  startBeside(command: readonly string[]): ChildProcess;
}

/** @returns a sentence about missing programs of this machine */
export function missingForContainer(): string | undefined {
  if (process.platform !== 'linux' || process.getuid!() !== 0) return 'needs Linux and root';
  const missing = ['debootstrap', 'systemd-nspawn', 'nsenter'].filter((name) => findProgram(name) === undefined);
  if (missing.length === 0) return undefined;
  return `${missing.join(', ')} missing: apt-get install debootstrap systemd-container util-linux`;
}

/** Boots a minimal Debian, without a network, with the program as its only release. Scripts run in its folder. */
export async function bootContainer(): Promise<Container> {
  const program = '/opt/scorehall/current';
  const container = await bootDebian('bookworm', async (root) => {
    await installProgram(join(root, 'opt/scorehall/releases/tested'));
    await symlink('releases/tested', join(root, program));
  });
  return { ...container, shell: (script, stdin) => container.shell(`cd ${program}\n${script}`, stdin) };
}

/**
 * Boots a minimal Debian without a network, which is deleted at the end.
 * @param prepare changes its files before it starts
 */
export async function bootDebian(suite: Suite, prepare: (root: string) => Promise<void>): Promise<Container> {
  const base = provideBase(suite);
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-debian-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const root = join(folder, 'root');
    runProgram('cp', ['--archive', '--reflink=auto', base, root]);
    await prepare(root);
    return await boot(root, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * A minimal Debian, which is made once: delete it to get a newer one. The files of its packages stay in
 * /var/cache/apt/archives.
 */
export function provideBase(suite: Suite): string {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'scorehall');
  const base = join(cache, `${suite}-${PACKAGES.join('-')}`);
  if (existsSync(base)) return base;
  const partial = `${base}.${process.pid}`;
  mkdirSync(cache, { recursive: true });
  runProgram(findProgram('debootstrap')!, [
    ...['--variant=minbase', `--include=${PACKAGES.join(',')}`, suite, partial],
  ]);
  renameSync(partial, base);
  return base;
}

/** The files that a clone of this work tree has, and the dependencies installed as documented. */
async function installProgram(target: string): Promise<void> {
  const listed = runProgram('git', ['ls-files', '-z'], { cwd: ROOT });
  for (const file of listed.split('\0').filter((file) => file !== '')) await cp(join(ROOT, file), join(target, file));
  runProgram('npm', ['ci', '--omit=dev', '--ignore-scripts'], { cwd: target });
}

async function boot(root: string, remove: () => Promise<void>): Promise<Container> {
  const options = ['--boot', '--register=no', '--keep-unit', '--console=pipe', '--private-network'];
  const machine = `--machine=scorehall-${basename(dirname(root)).replaceAll(/[^a-z0-9]/gi, '')}`;
  const child = spawn(findProgram('systemd-nspawn')!, [`--directory=${root}`, machine, ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // The container gets the unified hierarchy of control groups.
    env: { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1' },
  });
  const errors = text(child.stderr);
  const exited = once(child, 'exit');
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  const init = await firstChild(child.pid!);
  if (init === undefined) {
    kill();
    throw new Error(`systemd did not start in the container: ${await errors}`);
  }
  const container = createContainer(init);
  const dispose = async (): Promise<void> => {
    container.run(['systemctl', 'poweroff']);
    await Promise.race([exited, pause(BOOT_WITHIN_S * 1000, undefined, { ref: false }).then(kill)]);
    await exited;
    process.off('exit', kill);
    await remove();
  };
  return { ...container, [Symbol.asyncDispose]: dispose };
}

/** @returns the process of systemd once it has started every unit; failed units are reported at the end of the test */
async function firstChild(pid: number): Promise<string | undefined> {
  for (let waited = 0; waited < BOOT_WITHIN_S * 10; waited++) {
    const [child = ''] = readChildren(pid).split(' ');
    const state = child === '' ? '' : createContainer(child).run(['systemctl', 'is-system-running', '--wait']).text;
    if (['running', 'degraded'].includes(state)) return child;
    await pause(100);
  }
  return undefined;
}

/** Empty once the process has ended. */
function readChildren(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  } catch {
    return '';
  }
}

function createContainer(init: string): Omit<Container, typeof Symbol.asyncDispose> {
  const namespaces = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--root', '--wd'];
  const inside = [`--target=${init}`, ...namespaces, 'env', '-i', `PATH=${PATH}`, 'HOME=/root'];
  const network = [`--target=${init}`, '--net'];
  return {
    run: (command, stdin) => runEntered([...inside, ...command], stdin),
    shell: (script, stdin) => runEntered([...inside, 'sh', '-ec', script], stdin),
    start: (command) => startEntered([...inside, ...command]),
    beside: (command) => runEntered([...network, ...command]),
    startBeside: (command) => startEntered([...network, ...command]),
  };
}

function runEntered(args: readonly string[], input = ''): Outcome {
  const { status, stdout, stderr } = spawnSync('nsenter', args, { encoding: 'utf8', input });
  return { status, text: (stdout ?? '').trim(), errors: (stderr ?? '').trim() };
}

const startEntered = (args: readonly string[]): ChildProcess =>
  spawn('nsenter', args, { stdio: ['ignore', 'pipe', 'pipe'] });
