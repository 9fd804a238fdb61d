import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '#base/config.ts';
import { giveWay } from '#base/priority.ts';
import { openHall } from '#hall.ts';
import { serveIntake } from '#records/intake-port.ts';
import { startUpkeep } from '#upkeep.ts';

/** What writes in a thread of its own: the intake, and upkeep, until `writer.ts` says that it is enough. */
giveWay();
await using hall = await openHall(workerData as Config);
await using tasks = new AsyncDisposableStack();
tasks.use(startUpkeep(hall));
await serveIntake(parentPort!, hall.intake);
