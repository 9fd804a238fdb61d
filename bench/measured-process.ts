import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { answerOf } from '#test/support/child-reply.ts';
import type { Use } from './child.ts';
import { type Load, load, type Target } from './load.ts';

/** The measured process has a core of its own, where the system lets it; the load and all else share the other. */
export const LOAD_CORE = 1;
const MEASURED_CORE = 0;

const CONNECTIONS = 64;

/** Keeps all threads of a process on a core, or on several ("0,1"). Does nothing where there is no taskset. */
export function pin(pid: number, cores: number | string): void {
  spawnSync('taskset', ['-a', '-c', '-p', String(cores), String(pid)]);
}

/** A process under load: it tells its ports at the start, and its use of CPU and memory when asked. */
export class Measured<Facts extends { port: number }> implements AsyncDisposable {
  readonly facts: Facts;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, facts: Facts) {
    this.#child = child;
    this.facts = facts;
  }

  static async start<F extends { port: number }>(file: string, env: Record<string, string> = {}): Promise<Measured<F>> {
    pin(process.pid, LOAD_CORE);
    const child = fork(new URL(file, import.meta.url), { env: { ...process.env, ...env } });
    pin(child.pid!, MEASURED_CORE);
    return new Measured(child, await answerOf<F>(child));
  }

  /** Sends something to the process, and waits for what it answers. */
  async tell<T>(order: object | 'use'): Promise<T> {
    this.#child.send(order);
    return await answerOf<T>(this.#child);
  }

  /** Its use of CPU and memory. */
  async use(): Promise<Use> {
    return await this.tell<Use>('use');
  }

  /** Runs load for a while; `cpu` is seconds of CPU time of the measured process a request. */
  async round(next: Target['next'], ms: number): Promise<Load & { cpu: number }> {
    const before = await this.use();
    const result = await load({ port: this.facts.port, next }, CONNECTIONS, ms);
    const after = await this.use();
    return { ...result, cpu: (after.cpu - before.cpu) / result.requests };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#child.once('exit', resolve);
    this.#child.disconnect();
    await promise;
  }
}
