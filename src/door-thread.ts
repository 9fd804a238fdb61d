import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { openHouse } from '#app.ts';
import { openHall } from '#hall.ts';
import type { ThreadOrder } from './threads.ts';

/** What runs in a thread of its own: some doors of the house, until the main thread says that it is enough. */
const { config, doors } = workerData as ThreadOrder;
await using hall = await openHall(config);
await using house = await openHouse(hall, doors);
parentPort!.postMessage(house.addresses, []);
await once(parentPort!, 'message');
