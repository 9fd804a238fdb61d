import { randomUUID } from 'node:crypto';
import { createPopulation, matchOf } from '../support/matches.ts';
import { RawClient, rawPost } from '../support/raw-client.ts';

/** What to send. Without `matches`, sending continues until the message `stop`. */
export interface WriteOrder {
  /** The services; the senders are shared among them. */
  ports: readonly number[];
  keys: string[];
  /** Matches in a request. */
  batch: number;
  matches?: number;
}

/**
 * One sender per key, in a process that represents the machines of the game servers. It replies to each order with the
 * matches per second. The requests are prepared before the measurement, since game servers build theirs on their own
 * machines; each match gets a new id when it is sent.
 */
const PREPARED_MATCHES = 100;
const people = createPopulation(1_000);

interface Request {
  bytes: Buffer;
  /** The byte offsets of the ids of its matches. */
  idOffsets: number[];
}

function requestOf(key: string, batch: number): Request {
  const ids = Array.from({ length: batch }, () => randomUUID());
  const bytes = rawPost('/events', key, JSON.stringify(ids.map((id) => matchOf(people, 20, Date.now(), id))));
  return { bytes, idOffsets: ids.map((id) => bytes.indexOf(id)) };
}

let stop = new AbortController();
let sent = 0;

async function write(port: number, requests: Request[], maxMatches: number): Promise<void> {
  const client = new RawClient(port);
  for (let turn = 0; !stop.signal.aborted && sent < maxMatches; turn = (turn + 1) % requests.length) {
    const { bytes, idOffsets } = requests[turn]!;
    for (const offset of idOffsets) bytes.write(randomUUID(), offset, 'latin1');
    sent += idOffsets.length;
    const response = await client.send(bytes);
    if (!response.includes('"accepted"') || response.includes('"rejected"')) throw new Error(response);
  }
  client.close();
}

async function execute({ ports, keys, batch, matches = Infinity }: WriteOrder): Promise<void> {
  const prepared = keys.map((key) =>
    Array.from({ length: Math.ceil(PREPARED_MATCHES / batch) }, () => requestOf(key, batch)),
  );
  sent = 0;
  const began = performance.now();
  await Promise.all(prepared.map((requests, place) => write(ports[place % ports.length]!, requests, matches)));
  process.send!(sent / ((performance.now() - began) / 1000));
}

let work = Promise.resolve();
process.on('message', (message: WriteOrder | 'stop') => {
  if (message === 'stop') return stop.abort();
  stop = new AbortController();
  work = work.then(() => execute(message));
});
