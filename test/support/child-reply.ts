import type { ChildProcess } from 'node:child_process';

/** @returns the next message of a child process; rejects if the process ends first */
export function answerOf<T>(child: ChildProcess): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const ended = (): void => reject(new Error('A process that was asked has ended; what it said stands above.'));
  child.once('exit', ended);
  child.once('message', (received) => {
    child.off('exit', ended);
    resolve(received as T);
  });
  return promise;
}
