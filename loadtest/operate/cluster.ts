import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ROOT } from '../support/programs.ts';
import { type Installation, serveInstallation } from './installation.ts';

/**
 * The machines of docs/scaling.md, each as an address of this machine: 10.0.0.11 is 127.0.0.11. A third one follows the example
 * of the second.
 */
export const MACHINES = ['11', '12', '13'] as const;

/** Settings, configurations and commands of docs/scaling.md. */
export class ScalingPage {
  readonly #text = readFileSync(join(ROOT, 'docs/scaling.md'), 'utf8');
  readonly #ports: readonly number[];

  /** @param ports those used instead of 7400 to 7404 */
  constructor(ports: readonly number[]) {
    this.#ports = ports;
  }

  /** @returns the only block of a language that contains `mark` */
  block(language: string, mark: string): string {
    const blocks = [...this.#text.matchAll(/^```(\w+)\n([^]*?)^```/gm)];
    const found = blocks.filter(([, name, text]) => name === language && text!.includes(mark));
    if (found.length !== 1) throw new Error(`docs/scaling.md must have one ${language} block with "${mark}".`);
    return this.#local(found[0]![2]!);
  }

  /** The settings of a machine, without the files of secrets. */
  settings(machine: string): NodeJS.ProcessEnv {
    const values = parseEnv(this.block('ini', 'COUNTERS').replaceAll('127.0.0.11', `127.0.0.${machine}`));
    return Object.fromEntries(Object.entries(values).filter(([name]) => !/^(DATABASE_URL|SECRET_KEY)/.test(name)));
  }

  /** The example of nginx or Caddy with the lines of the document in it. */
  forward(example: string): string {
    return example.includes('upstream ') ? this.#nginx(example) : this.#caddy(example);
  }

  #nginx(example: string): string {
    const lines = this.block('nginx', 'upstream').replace(/( server 127\.0\.0\.)12(:\d+;)/g, '$112$2$113$2');
    const without = example.replace(/^upstream .*\n/gm, '');
    if (example.length - without.length < 4 * 'upstream '.length) throw new Error('The example has other upstreams.');
    return `${lines}${without}`;
  }

  #caddy(example: string): string {
    const services = this.block('caddy', 'import several').replace(/( 127\.0\.0\.)12(:\d+)/g, '$112$2$113$2');
    let text = example;
    for (const [place, lines] of services
      .trimEnd()
      .split(/\n(?=\treverse_proxy)/)
      .entries()) {
      const before = `\treverse_proxy 127.0.0.1:740${place}`;
      if (text.split(before).length !== 2) throw new Error(`The example must have exactly one "${before}".`);
      text = text.replace(before, () => lines);
    }
    return `${this.block('caddy', '(several)')}\n${text}`;
  }

  #local(text: string): string {
    return text
      .replaceAll('10.0.0.10', '127.0.0.1')
      .replaceAll('10.0.0.', '127.0.0.')
      .replace(/:740([0-4])/g, (_, place: string) => `:${this.#ports[Number(place)]}`);
  }
}

/** One process on each machine. */
export class Cluster implements AsyncDisposable {
  readonly #settings: (machine: string) => NodeJS.ProcessEnv;
  readonly #running = new Map<string, Installation>();
  /** Starts after the first one. */
  restarts = 0;

  private constructor(settings: (machine: string) => NodeJS.ProcessEnv) {
    this.#settings = settings;
  }

  static async start(settings: (machine: string) => NodeJS.ProcessEnv): Promise<Cluster> {
    const cluster = new Cluster(settings);
    for (const machine of MACHINES) await cluster.#start(machine);
    return cluster;
  }

  /** Ends a process with a signal and starts it again, as systemd does. */
  async restart(machine: string, signal: NodeJS.Signals): Promise<void> {
    const running = this.#running.get(machine)!;
    running.child.kill(signal);
    await running.stop();
    await this.#start(machine);
    this.restarts++;
  }

  async #start(machine: string): Promise<void> {
    this.#running.set(machine, await serveInstallation(this.#settings(machine)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running.values()].map((running) => running.stop()));
  }
}
