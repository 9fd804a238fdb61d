import { once } from 'node:events';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { openHouse } from '#app.ts';
import { openHall } from '#hall.ts';
import { startUpkeep } from '#upkeep.ts';
import type { ThreadOrder } from './threads.ts';

const NICENESS = 5;

/** What runs in a thread of its own: some doors of the house, and upkeep, until the main thread says that it is enough. */
const { config, doors } = workerData as ThreadOrder;
// Where the two want the same core, whoever reads goes first. On Linux this says it of the thread, elsewhere of all.
if (process.platform === 'linux') setPriority(NICENESS);
await using hall = await openHall(config);
await using house = await openHouse(hall, doors);
await using tasks = new AsyncDisposableStack();
tasks.use(startUpkeep(hall));
parentPort!.postMessage(house.addresses, []);
await once(parentPort!, 'message');
