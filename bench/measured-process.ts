import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { answerOf } from '#test/support/child-reply.ts';
import type { ProcessUsage } from './child.ts';
import { type Load, load, type Target } from './load.ts';

/** The measured process gets one core, if the system has `taskset`; the load and all other processes share the other. */
export const LOAD_CORE = 1;
const MEASURED_CORE = 0;

const CONNECTIONS = 64;

/** Restricts all threads of a process to a core, or to several ("0,1"). Does nothing without `taskset`. */
export function pin(pid: number, cores: number | string): void {
  spawnSync('taskset', ['-a', '-c', '-p', String(cores), String(pid)]);
}

/** A child process under load. Its first message has its port; later it answers messages, such as that for its usage. */
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

  /** Sends a message to the process and waits for its answer. */
  async send<T>(message: object | 'usage'): Promise<T> {
    this.#child.send(message);
    return await answerOf<T>(this.#child);
  }

  async usage(): Promise<ProcessUsage> {
    return await this.send<ProcessUsage>('usage');
  }

  /** Runs load for a while. `cpu` is the CPU time of the measured process a request, in seconds. */
  async round(next: Target['next'], ms: number): Promise<Load & { cpu: number }> {
    const before = await this.usage();
    const result = await load({ port: this.facts.port, next }, CONNECTIONS, ms);
    const after = await this.usage();
    return { ...result, cpu: (after.cpu - before.cpu) / result.requests };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#child.once('exit', resolve);
    this.#child.disconnect();
    await promise;
  }
}
