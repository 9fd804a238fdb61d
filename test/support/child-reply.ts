import type { ChildProcess } from 'node:child_process';

/** @returns the next message of a child process; rejects if the process ends first */
export function answerOf<T>(child: ChildProcess): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const ended = (): void => reject(new Error('The child process ended before it replied; its output is above.'));
  child.once('exit', ended);
  child.once('message', (received) => {
    child.off('exit', ended);
    resolve(received as T);
  });
  return promise;
}
