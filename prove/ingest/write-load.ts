import { once } from 'node:events';
import { matchOf, town } from './matches.ts';
import { RawClient, rawPost } from './raw-client.ts';

/** Where to send, and with whose keys. */
export interface WriteOrder {
  port: number;
  keys: string[];
}

/**
 * As many senders as there are keys, each with one match a request, until told to stop; says matches a second. The
 * requests lie ready: game servers write theirs on machines of their own. Each goes out under an id that is new.
 */
const READY = 100;
const people = town(1_000);
const stop = new AbortController();
let sent = 0;
let count = 0;

const idOf = (number: number): string => `match-${process.pid}-${String(number).padStart(12, '0')}`;
const FIRST = idOf(0);

async function write(port: number, key: string): Promise<void> {
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

const [{ port, keys }] = (await once(process, 'message')) as [WriteOrder];
const began = performance.now();
const told = once(process, 'message').then(() => stop.abort());
await Promise.all([told, ...keys.map((key) => write(port, key))]);
process.send!(count / ((performance.now() - began) / 1000));
process.disconnect!();
