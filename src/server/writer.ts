import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Config } from '#platform/config/config.ts';
import { CLOSE, WorkerChannel } from '#events/ingest/worker-channel.ts';
import type { EventQueue } from '#events/ingest/event-queue.ts';

function broken(): never {
  throw new Error('The writer thread has ended.');
}

/** Opens the writer thread of this thread (writer-worker.ts). If it ends, this thread ends with an error. */
export function openWriter(config: Config): AsyncDisposable & { eventQueue: EventQueue } {
  const worker = new Worker(new URL('./writer-worker.ts', import.meta.url), { workerData: config });
  worker.on('exit', broken);
  const close = async (): Promise<void> => {
    worker.off('exit', broken);
    worker.postMessage(CLOSE, []);
    await once(worker, 'exit');
  };
  return { eventQueue: new WorkerChannel(worker), [Symbol.asyncDispose]: close };
}
