import { type ChildProcess, fork } from 'node:child_process';
import { answerOf } from '#test/support/child-reply.ts';
import type { BaselineOrder, Pace } from './baseline-loop.ts';
import type { WriteOrder } from './write-load.ts';

/** A process beside the service that is measured: what it does and has in memory is in nobody else's way. */
function helper(file: string): ChildProcess {
  return fork(new URL(file, import.meta.url), { execArgv: [] });
}

/** Game servers that send matches; see `write-load.ts`. */
export class GameServers implements Disposable {
  readonly #child = helper('./write-load.ts');

  /** @returns matches a second, once all are answered or `stop` is called */
  send(order: WriteOrder): Promise<number> {
    this.#child.send(order);
    return answerOf(this.#child);
  }

  stop(): void {
    this.#child.send('stop');
  }

  [Symbol.dispose](): void {
    this.#child.disconnect();
  }
}

export function baselineLoop(order: BaselineOrder): Promise<Pace> {
  const child = helper('./baseline-loop.ts');
  child.send(order);
  return answerOf(child);
}
