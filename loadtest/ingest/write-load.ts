import { randomUUID } from 'node:crypto';
import { matchOf, town } from './matches.ts';
import { RawClient, rawPost } from './raw-client.ts';

/** Where to send, with whose keys, and how much: undefined goes on until there is another message. */
export interface WriteOrder {
  port: number;
  keys: string[];
  /** Matches in a request. */
  batch: number;
  matches?: number;
}

/**
 * As many senders as there are keys, in a process that stands for the machines of the game servers. Answers each order with
 * matches a second. The requests lie ready: game servers write theirs on their own machines. Each match goes out under an
 * id that is new.
 */
const READY = 100;
const people = town(1_000);

interface Request {
  bytes: Buffer;
  /** Where the ids of its matches stand. */
  places: number[];
}

function requestOf(key: string, batch: number): Request {
  const ids = Array.from({ length: batch }, () => randomUUID());
  const bytes = rawPost('/events', key, JSON.stringify(ids.map((id) => matchOf(people, 20, Date.now(), id))));
  return { bytes, places: ids.map((id) => bytes.indexOf(id)) };
}

let stop = new AbortController();
let sent = 0;

async function write(port: number, requests: Request[], most: number): Promise<void> {
  const client = new RawClient(port);
  for (let turn = 0; !stop.signal.aborted && sent < most; turn = (turn + 1) % requests.length) {
    const { bytes, places } = requests[turn]!;
    for (const place of places) bytes.write(randomUUID(), place, 'latin1');
    sent += places.length;
    const answer = await client.ask(bytes);
    if (!answer.includes('"accepted"') || answer.includes('"rejected"')) throw new Error(answer);
  }
  client.close();
}

async function carryOut({ port, keys, batch, matches = Infinity }: WriteOrder): Promise<void> {
  const ready = keys.map((key) => Array.from({ length: Math.ceil(READY / batch) }, () => requestOf(key, batch)));
  sent = 0;
  const began = performance.now();
  await Promise.all(ready.map((requests) => write(port, requests, matches)));
  process.send!(sent / ((performance.now() - began) / 1000));
}

let work = Promise.resolve();
process.on('message', (message: WriteOrder | 'stop') => {
  if (message === 'stop') return stop.abort();
  stop = new AbortController();
  work = work.then(() => carryOut(message));
});
