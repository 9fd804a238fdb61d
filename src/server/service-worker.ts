import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { openHouse } from './listeners.ts';
import { giveWay } from '#platform/thread-priority.ts';
import { openHall } from '#context/context.ts';
import type { ThreadOrder } from './workers.ts';
import { openWriter } from './writer.ts';

/** What runs in a thread of its own: doors through which much is told, until the main thread says that it is enough. */
const { config, doors } = workerData as ThreadOrder;
giveWay();
await using hall = await openHall(config);
await using writer = openWriter(config);
await using house = await openHouse({ ...hall, intake: writer.intake }, doors);
parentPort!.postMessage(house.addresses, []);
await once(parentPort!, 'message');
