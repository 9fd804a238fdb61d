import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { openServices } from './listeners.ts';
import { openAppContext } from '#context/context.ts';
import type { ServiceWorkerOptions } from './workers.ts';
import { shareMetrics, threadName } from './thread-metrics.ts';
import { openWriter } from './writer.ts';

/** Entry of a worker thread with one service. A message from the main thread ends it. */
const { config, service } = workerData as ServiceWorkerOptions;
await using context = await openAppContext(config);
using metrics = new DisposableStack();
metrics.use(shareMetrics(context.metrics, threadName(service)));
await using stack = new AsyncDisposableStack();
const writer = service === 'INGEST' ? stack.use(openWriter(config)) : undefined;
await using running = await openServices(context, [service], { eventQueue: writer?.eventQueue });
parentPort!.postMessage(running.addresses, []);
await once(parentPort!, 'message');
