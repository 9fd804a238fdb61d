import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import type { Target } from './abuser.ts';
import { ABUSERS } from './abusers.ts';

/** A thread for the abuser's requests, so that their cost does not delay the measured requests of the honest users. */
const { name, target } = workerData as { name: string; target: Target };
const stop = new AbortController();
void once(parentPort!, 'message').then(() => stop.abort());
const statuses = await ABUSERS.find((abuser) => abuser.name === name)!.attack(target, stop.signal);
parentPort!.postMessage({ statuses: statuses.toString(), isOrderly: statuses.isOrderly }, []);
parentPort!.unref();
