import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Config } from '#platform/config/config.ts';
import { CLOSE, WorkerChannel } from '#events/ingest/worker-channel.ts';
import type { EventQueue } from '#events/ingest/event-queue.ts';

/** The writer thread of the thread that opens it (writer-worker.ts). If it ends, its owner ends with an error. */
export interface Writer extends AsyncDisposable {
  eventQueue: EventQueue;
}

function broken(): never {
  throw new Error('The writer thread has ended.');
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
  return { eventQueue: new WorkerChannel(worker), [Symbol.asyncDispose]: close };
}
