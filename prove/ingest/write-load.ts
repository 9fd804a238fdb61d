import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { matchOf, town } from './matches.ts';
import { RawClient, rawPost } from './raw-client.ts';

/** As many senders as there are keys, each with one match a request, until told to stop; says matches a second. */
const { port, keys } = workerData as { port: number; keys: string[] };
const people = town(1_000);
const stop = new AbortController();
let count = 0;

async function write(key: string): Promise<void> {
  const client = new RawClient(port);
  while (!stop.signal.aborted) {
    const answer = await client.ask(rawPost('/events', key, JSON.stringify(matchOf(people, 20, Date.now()))));
    if (!answer.includes('"accepted"')) throw new Error(answer);
    count++;
  }
  client.close();
}

const began = performance.now();
const told = once(parentPort!, 'message').then(() => stop.abort());
await Promise.all([told, ...keys.map(write)]);
parentPort!.postMessage(count / ((performance.now() - began) / 1000), []);
