import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { openServices } from './listeners.ts';
import { lowerThreadPriority } from '#platform/thread-priority.ts';
import { openAppContext } from '#context/context.ts';
import type { ServiceWorkerOptions } from './workers.ts';
import { openWriter } from './writer.ts';

/** What runs in a thread of its own: doors through which much is told, until the main thread says that it is enough. */
const { config, names: services } = workerData as ServiceWorkerOptions;
lowerThreadPriority();
await using context = await openAppContext(config);
await using writer = openWriter(config);
await using running = await openServices({ ...context, eventQueue: writer.eventQueue }, services);
parentPort!.postMessage(running.addresses, []);
await once(parentPort!, 'message');
