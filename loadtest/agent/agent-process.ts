import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const UNIT = join(import.meta.dirname, '../../deploy/systemd/scorehall-agent.service');
const TICK_MS = 10;

/** A small file system that a holder process keeps mounted in its own namespace; see user_namespaces(7). */
export class SmallFolder implements Disposable {
  readonly #holder: ChildProcess;
  readonly path: string;

  private constructor(holder: ChildProcess, path: string) {
    this.#holder = holder;
    this.path = path;
  }

  /** @returns undefined if the system does not allow user namespaces */
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
  /** Path of the certificate of the own CA. */
  ca: string;
  prefix: string[];
  /** NODE_COMPILE_CACHE, as every documented start of the agent sets it. The other settings are those of the unit. */
  compileCache: string;
}

/** Resident memory in MB. */
export interface Memory {
  total: number;
  own: number;
  /** Pages of the program file of Node and its libraries, which all processes of Node share. */
  shared: number;
}

function readMemory(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { total: of('VmRSS'), own: of('RssAnon'), shared: of('RssFile') };
}

/** A Node process that loads none of our modules. */
export async function memoryOfBareNode(): Promise<Memory> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000); console.log()'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  await sleep(1_000);
  const memory = readMemory(child.pid!);
  child.kill();
  await once(child, 'exit');
  return memory;
}

/** The options of Node and the environment that the unit gives the agent. */
function settingsOfUnit(): { nodeOptions: string[]; environment: NodeJS.ProcessEnv } {
  const unit = readFileSync(UNIT, 'utf8');
  const nodeOptions = /^ExecStart=\S*node (.*?)\S+\/main\.ts /m.exec(unit)?.[1]?.trim().split(' ');
  const lines = unit.matchAll(/^Environment=(.*)$/gm);
  const environment = Object.fromEntries([...lines].flatMap(([, settings]) => settings!.split(' ').map(nameAndValue)));
  return { nodeOptions: nodeOptions!, environment };
}

const nameAndValue = (setting: string): string[] => {
  const [name, ...value] = setting.split('=');
  return [name!, value.join('=')];
};

/** `scorehall agent` in a separate process. */
export class AgentProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  /** Settles at the first output, or at the end of the process. */
  readonly ready: Promise<unknown>;
  /** What the agent wrote to stderr. */
  troubles = '';

  constructor({ serverFolder, dataFolder, url, key, ca, prefix, compileCache }: AgentSettings) {
    const { nodeOptions, environment } = settingsOfUnit();
    const args = [...nodeOptions, MAIN, 'agent', '--server-dir', serverFolder, '--data-dir', dataFolder, '--url', url];
    const [command, ...rest] = [...prefix, process.execPath, ...args];
    this.#child = spawn(command!, rest, {
      env: {
        ...process.env,
        ...environment,
        INGEST_KEY: key,
        NODE_EXTRA_CA_CERTS: ca,
        NODE_COMPILE_CACHE: compileCache,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.troubles += text));
    this.#exit = once(this.#child, 'exit');
    this.ready = Promise.race([once(this.#child.stdout!, 'data'), this.#exit]);
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#child.kill(signal);
    await this.#exit;
  }

  get memory(): Memory {
    return readMemory(this.#child.pid!);
  }

  get cpuMs(): number {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }
}
