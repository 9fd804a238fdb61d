import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { answerOf } from '#test/support/child-reply.ts';
import type { OperatorOrder, OperatorReply } from './operator-process.ts';

/** Starts the operator's process again after it was killed. */
export class Operator {
  #environment: NodeJS.ProcessEnv;
  #child: ChildProcess;

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
    this.#child = this.#start();
  }

  /** Runs a command. @returns undefined if the process was killed meanwhile */
  async run(...command: string[]): Promise<OperatorReply | undefined> {
    return await this.#execute({ command });
  }

  async linkCodeOf(accountId: string): Promise<string | undefined> {
    return (await this.#execute({ linkCodeOf: accountId }))?.out;
  }

  /** Chooses what the person of a player keeps private. */
  async choose(privacy: Extract<OperatorOrder, { privacy: unknown }>['privacy']): Promise<OperatorReply | undefined> {
    return await this.#execute({ privacy });
  }

  /** Continues with other settings, in a new process. */
  async use(environment: NodeJS.ProcessEnv): Promise<void> {
    this.#environment = environment;
    await this.kill();
  }

  async kill(): Promise<void> {
    const child = this.#child;
    child.kill('SIGKILL');
    await once(child, 'exit');
    if (this.#child === child) this.#child = this.#start();
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }

  async #execute(order: OperatorOrder): Promise<OperatorReply | undefined> {
    const child = this.#child;
    // Killed, and not started again yet.
    if (!child.connected) return undefined;
    const reply = answerOf<OperatorReply>(child).catch(() => undefined);
    child.send(order, () => undefined);
    return await reply;
  }

  #start(): ChildProcess {
    return fork(new URL('./operator-process.ts', import.meta.url), { env: { ...process.env, ...this.#environment } });
  }
}
