/**
 * Loaded by `--import` into a service, and so into each of its threads: the main thread answers an HTTP request with the heaps of
 * all threads, each after a collection. The service must run with `--expose-gc`, and its environment must name the port.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { basename } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { BroadcastChannel, isMainThread, threadId, workerData } from 'node:worker_threads';

export interface ThreadHeap {
  thread: string;
  /** Bytes of the objects of JavaScript. */
  heap: number;
  /** Bytes that these objects hold outside the heap, such as those of buffers. */
  external: number;
}

type Message = 'measure' | { opened: number } | { closed: number } | { thread: number; heap: ThreadHeap };

/** The file of a worker thread; threads with the same file are told apart by the services that they run. */
function nameOfThread(): string {
  if (isMainThread) return 'main';
  const { names = [] } = (workerData ?? {}) as { names?: string[] };
  return [basename(process.argv[1]!, '.ts'), ...names].join(' ');
}

/** Collects twice, because what a finalizer frees goes only with the next collection. */
async function measure(): Promise<ThreadHeap> {
  for (let count = 0; count < 2; count++) {
    await turn();
    globalThis.gc!();
  }
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return { thread: nameOfThread(), heap, external };
}

const channel = new BroadcastChannel('heaps');
const post = (message: Message): void => channel.postMessage(message);

function answerFromWorker(): void {
  channel.addEventListener('message', (event) => {
    if ((event as MessageEvent<Message>).data === 'measure')
      void measure().then((heap) => post({ thread: threadId, heap }));
  });
  process.once('exit', () => post({ closed: threadId }));
  post({ opened: threadId });
}

async function serveFromMain(): Promise<void> {
  const heaps = new Map<number, ThreadHeap | undefined>();
  const replies = new EventTarget();
  channel.addEventListener('message', (event) => {
    const message = (event as MessageEvent<Exclude<Message, 'measure'>>).data;
    if ('opened' in message) heaps.set(message.opened, undefined);
    else if ('closed' in message) heaps.delete(message.closed);
    else heaps.set(message.thread, message.heap);
    replies.dispatchEvent(new Event('reply'));
  });
  const all = async (): Promise<ThreadHeap[]> => {
    for (const thread of heaps.keys()) heaps.set(thread, undefined);
    post('measure');
    const own = await measure();
    while ([...heaps.values()].includes(undefined)) await once(replies, 'reply');
    return [own, ...heaps.values()] as ThreadHeap[];
  };
  const server = createServer((_, response) => void all().then((found) => response.end(JSON.stringify(found))));
  server.listen(Number(process.env['HEAPS_PORT']), '127.0.0.1').unref();
}

if (isMainThread) void serveFromMain();
else answerFromWorker();
channel.unref();
