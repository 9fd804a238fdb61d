import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '#platform/config.ts';
import { giveWay } from '#platform/thread-priority.ts';
import { openHall } from '#context/context.ts';
import { serveIntake } from '#events/worker-channel.ts';
import { startUpkeep } from './jobs.ts';

/** What writes in a thread of its own: the intake, and upkeep, until `writer.ts` says that it is enough. */
giveWay();
await using hall = await openHall(workerData as Config);
await using tasks = new AsyncDisposableStack();
tasks.use(startUpkeep(hall));
await serveIntake(parentPort!, hall.intake);
