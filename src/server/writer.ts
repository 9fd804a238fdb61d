import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Config } from '#platform/config.ts';
import { CLOSE, FarIntake } from '#events/worker-channel.ts';
import type { Intake } from '#events/group-commit.ts';

/** A thread that writes, for the one that opens it: see writer-worker.ts. Should it ever break, both do. */
export interface Writer extends AsyncDisposable {
  intake: Intake;
}

function broken(): never {
  throw new Error('The thread that writes has ended.');
}

export function openWriter(config: Config): Writer {
  const worker = new Worker(new URL('./writer-worker.ts', import.meta.url), {
    workerData: config,
  });
  worker.on('exit', broken);
  const close = async (): Promise<void> => {
    worker.off('exit', broken);
    worker.postMessage(CLOSE, []);
    await once(worker, 'exit');
  };
  return { intake: new FarIntake(worker), [Symbol.asyncDispose]: close };
}
