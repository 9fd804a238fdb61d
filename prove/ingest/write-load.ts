import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { matchOf, town } from './matches.ts';
import { RawClient, rawPost } from './raw-client.ts';

/**
 * As many senders as there are keys, each with one match a request, until told to stop; says matches a second. The
 * requests lie ready: game servers write theirs on machines of their own. Each goes out under an id that is new.
 */
const { port, keys } = workerData as { port: number; keys: string[] };
const READY = 100;
const people = town(1_000);
const stop = new AbortController();
let sent = 0;
let count = 0;

const idOf = (number: number): string => `match-${String(number).padStart(12, '0')}`;
const FIRST = idOf(0);

async function write(key: string): Promise<void> {
  const requests = Array.from({ length: READY }, () => {
    const bytes = rawPost('/events', key, JSON.stringify(matchOf(people, 20, Date.now(), FIRST)));
    return { bytes, place: bytes.indexOf(FIRST) };
  });
  const client = new RawClient(port);
  for (let turn = 0; !stop.signal.aborted; turn = (turn + 1) % READY) {
    const { bytes, place } = requests[turn]!;
    bytes.write(idOf(sent++), place);
    const answer = await client.ask(bytes);
    if (!answer.includes('"accepted"')) throw new Error(answer);
    count++;
  }
  client.close();
}

const began = performance.now();
const told = once(parentPort!, 'message').then(() => stop.abort());
await Promise.all([told, ...keys.map(write)]);
parentPort!.postMessage(count / ((performance.now() - began) / 1000), []);
