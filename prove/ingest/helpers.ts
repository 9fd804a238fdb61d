import { type ChildProcess, fork } from 'node:child_process';
import type { BareOrder, Pace } from './bare-loop.ts';
import type { WriteOrder } from './write-load.ts';

/** A process beside the service that is measured: what it does and has in memory is in nobody else's way. */
function helper(file: string): ChildProcess {
  return fork(new URL(file, import.meta.url), { execArgv: [] });
}

/** @returns what a process says next */
function answerOf<T>(child: ChildProcess): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const ended = (): void => reject(new Error('A process of the proof ended; what it said stands above.'));
  child.once('exit', ended);
  child.once('message', (said) => {
    child.off('exit', ended);
    resolve(said as T);
  });
  return promise;
}

/** Game servers that send matches; see `write-load.ts`. */
export class GameServers implements Disposable {
  readonly #child = helper('./write-load.ts');

  get pid(): number {
    return this.#child.pid!;
  }

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

export function bareLoop(order: BareOrder): Promise<Pace> {
  const child = helper('./bare-loop.ts');
  child.send(order);
  return answerOf(child);
}
