import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { StreamHost, StreamOrder } from '#api/open-streams.ts';
import type { AppContext } from '#context/context.ts';
import type { Config } from '#platform/config/config.ts';
import { answerScrapes, type MetricList, STREAMS } from './thread-metrics.ts';

/** A message to the process of the streams. With `follow` comes the socket. */
export type ToStreams =
  | { config: Config; service: number }
  | { follow: number; order: StreamOrder; hasChunks: boolean }
  | { metrics: number }
  | 'stop';

/** A message from it. */
export type FromStreams = 'ready' | { ended: number } | { metrics: number; list: MetricList };

interface Running {
  child: ChildProcess;
  ready: Promise<void>;
  /** What waits for the end of each stream. */
  open: Map<number, () => void>;
  end: (id: number) => void;
  scrapes: Map<number, (list: MetricList) => void>;
  answers: Disposable;
}

/**
 * Sends the events of streams in a separate process (stream-worker.ts), to which the data API hands the socket of each stream:
 * threads of Node cannot pass sockets. Thousands of writes so delay no request. It starts with the first stream, and again
 * with the next one after a failure.
 */
export class StreamProcess implements StreamHost, AsyncDisposable {
  readonly #context: Pick<AppContext, 'config' | 'log'>;
  #running: Running | undefined;
  #last = 0;
  #isStopped = false;

  constructor(context: Pick<AppContext, 'config' | 'log'>) {
    this.#context = context;
  }

  /** Keeps nothing of the response, whose memory would be that of its stream again. */
  follow(response: ServerResponse, order: StreamOrder): Promise<void> {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.#handOver(response, order, resolve).catch(() => {
      response.destroy();
      resolve();
    });
    return ended;
  }

  async #handOver(response: ServerResponse, order: StreamOrder, ended: () => void): Promise<void> {
    const running = (this.#running ??= this.#start());
    // Bytes that have not reached the system would stay here.
    const [socket] = await Promise.all([sentSocket(response), running.ready]);
    if (socket === undefined || this.#isStopped) throw new Error('The client has gone, or the service stops.');
    const id = ++this.#last;
    // Until it is on its way, the socket ends with the process. Afterwards this process keeps nothing of it.
    running.open.set(id, () => {
      socket.destroy();
      ended();
    });
    const { chunkedEncoding: hasChunks } = response;
    running.child.send({ follow: id, order, hasChunks } satisfies ToStreams, socket, { keepOpen: true }, (error) => {
      socket.destroy();
      if (error !== null) running.end(id);
      else if (running.open.has(id)) running.open.set(id, ended);
    });
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#running?.child.connected === true) send(this.#running.child, 'stop');
  }

  #start(): Running {
    const { config, log } = this.#context;
    const child = fork(new URL('./stream-worker.ts', import.meta.url), { serialization: 'advanced' });
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
    const scrapes: Running['scrapes'] = new Map();
    const answers = answerScrapes(STREAMS, () => this.#metrics());
    const open: Running['open'] = new Map();
    const end = (id: number): void => {
      open.get(id)?.();
      open.delete(id);
    };
    const running: Running = { child, ready, open, end, scrapes, answers };
    child.on('message', (message: FromStreams) => {
      if (message === 'ready') resolve();
      else if ('ended' in message) end(message.ended);
      else scrapes.get(message.metrics)?.(message.list);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (!this.#isStopped) log.fatal({ code, signal }, 'the process of the streams failed and is started again');
      reject(new Error('The process of the streams has ended.'));
      if (this.#running === running) this.#running = undefined;
      answers[Symbol.dispose]();
      for (const id of open.keys()) end(id);
    });
    ready.catch(() => undefined);
    send(child, { config, service: process.pid });
    return running;
  }

  /** A scrape without a reply waits as for a thread that is blocked. */
  async #metrics(): Promise<MetricList> {
    const { child, scrapes, ready } = this.#running!;
    await ready;
    const id = ++this.#last;
    const { promise, resolve } = Promise.withResolvers<MetricList>();
    scrapes.set(id, resolve);
    send(child, { metrics: id });
    return await promise.finally(() => scrapes.delete(id));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    const child = this.#running?.child;
    if (child?.connected !== true) return;
    const exit = once(child, 'exit');
    child.disconnect();
    await exit;
  }
}

function send(child: ChildProcess, message: ToStreams): void {
  child.send(message, () => undefined);
}

/** The socket of a response, after its bytes were sent; undefined if the client has gone. */
async function sentSocket(response: ServerResponse): Promise<Socket | undefined> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('close', resolve);
  response.write('\n', () => resolve());
  await promise;
  response.off('close', resolve);
  const { socket } = response;
  return socket === null || socket.destroyed ? undefined : socket;
}
