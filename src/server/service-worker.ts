import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { openServices } from './listeners.ts';
import { openAppContext } from '#context/context.ts';
import type { ServiceWorkerOptions } from './workers.ts';
import { shareMetrics, threadName } from './thread-metrics.ts';
import { openWriter } from './writer.ts';

/** Entry of a worker thread with one or more services. A message from the main thread ends it. */
const { config, names: services } = workerData as ServiceWorkerOptions;
await using context = await openAppContext(config);
using metrics = new DisposableStack();
metrics.use(shareMetrics(context.metrics, threadName(services)));
await using stack = new AsyncDisposableStack();
const writer = services.includes('INGEST') ? stack.use(openWriter(config)) : undefined;
await using running = await openServices(context, services, { eventQueue: writer?.eventQueue });
parentPort!.postMessage(running.addresses, []);
await once(parentPort!, 'message');
