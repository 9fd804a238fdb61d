import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const TICK_MS = 10;

/** A small file system that a holder process keeps mounted in its own namespace; see user_namespaces(7). */
export class SmallFolder implements Disposable {
  readonly #holder: ChildProcess;
  readonly path: string;

  private constructor(holder: ChildProcess, path: string) {
    this.#holder = holder;
    this.path = path;
  }

  /** @returns undefined where the system does not allow user namespaces */
  static async open(path: string): Promise<SmallFolder | undefined> {
    const mount = 'mount -t tmpfs -o size=4m,mode=700 tmpfs "$0" && echo mounted && exec sleep 3600';
    const holder = spawn('unshare', ['-Urm', 'sh', '-c', mount, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    const mounted = await Promise.race([once(holder.stdout!, 'data'), once(holder, 'exit').then(() => undefined)]);
    return mounted === undefined ? undefined : new SmallFolder(holder, path);
  }

  /** The command that runs another one inside the namespace. */
  get prefix(): string[] {
    return ['nsenter', '-t', String(this.#holder.pid), '-U', '-m', '--preserve-credentials', '--'];
  }

  fill(): void {
    this.#shell('dd if=/dev/zero of="$0/ballast" bs=4k 2>/dev/null; true');
  }

  free(): void {
    this.#shell('rm -f "$0/ballast"');
  }

  #shell(script: string): void {
    const [command, ...args] = [...this.prefix, 'sh', '-c', script, this.path];
    spawnSync(command!, args);
  }

  [Symbol.dispose](): void {
    this.#holder.kill('SIGKILL');
  }
}

export interface AgentSettings {
  serverFolder: string;
  dataFolder: string;
  url: string;
  key: string;
  prefix: string[];
}

/** `scorehall agent` in a process of its own. */
export class AgentProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  /** What the agent wrote to stderr. */
  troubles = '';

  constructor({ serverFolder, dataFolder, url, key, prefix }: AgentSettings) {
    const args = [MAIN, 'agent', '--server-dir', serverFolder, '--data-dir', dataFolder, '--url', url];
    const [command, ...rest] = [...prefix, process.execPath, ...args];
    this.#child = spawn(command!, rest, {
      env: { ...process.env, INGEST_KEY: key },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.troubles += text));
    this.#exit = once(this.#child, 'exit');
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#child.kill(signal);
    await this.#exit;
  }

  get megabytes(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  }

  get cpuMs(): number {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }
}
