import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '#platform/config.ts';
import { lowerThreadPriority } from '#platform/thread-priority.ts';
import { openAppContext } from '#context/context.ts';
import { serveWorkerChannel } from '#events/worker-channel.ts';
import { startJobs } from './jobs.ts';

/** What writes in a thread of its own: the intake, and upkeep, until `writer.ts` says that it is enough. */
lowerThreadPriority();
await using context = await openAppContext(workerData as Config);
await using tasks = new AsyncDisposableStack();
tasks.use(startJobs(context));
await serveWorkerChannel(parentPort!, context.eventQueue);
