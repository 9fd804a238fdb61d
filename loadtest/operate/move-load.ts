import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { openSender, type Sender } from '#sender/index.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import { createPopulation, matchOf, type Population } from '../support/matches.ts';

const SERVERS = 4;
/** Together two matches of 20 players a second: some ten thousand players online. */
const EVERY_MS = 2_000;
const PROBE_EVERY_MS = 250;
const PROBE_TIMEOUT_MS = 60_000;

/** @returns the keys of some game servers */
export async function keysOf(db: Db): Promise<string[]> {
  const servers = await db.all<{ key: number }>(sql`select key from servers order by key limit ${SERVERS}`);
  const keys: string[] = [];
  for (const { key } of servers) keys.push(await createServerKey(db, Date.now(), key));
  return keys;
}

/** Game servers that report matches with the sender package, and one client that records each refused write. */
export class Load implements AsyncDisposable {
  readonly #senders: Sender[];
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;
  /** The ids of the matches in the queues of the senders. */
  readonly sent: string[] = [];
  /** The ids of the matches without a queue that were acknowledged. */
  readonly acknowledged: string[] = [];
  /** The times of the requests that got 503, by `performance.now()`. */
  readonly refused: number[] = [];

  private constructor(senders: Sender[], url: string, key: string) {
    this.#senders = senders;
    const sending = senders.map((sender, number) => this.#send(sender, createPopulation(1_000, number + 1)));
    this.#running = Promise.all([...sending, this.#probe(`${url}/events`, key)]);
  }

  static async start(ingest: number, keys: readonly string[], folder: string): Promise<Load> {
    const url = `http://127.0.0.1:${ingest}`;
    const senders = keys.map((key, number) => openSender({ url, key, folder: join(folder, String(number)) }));
    return new Load(await Promise.all(senders), url, keys[0]!);
  }

  async #send(sender: Sender, people: Population): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const match = matchOf(people, 20, Date.now());
      await sender.send({ ...match, version: 1, type: 'match.finished' });
      this.sent.push(match.id);
      await pause(EVERY_MS);
    }
  }

  async #probe(url: string, key: string): Promise<void> {
    const people = createPopulation(100, SERVERS + 1);
    while (!this.#stop.signal.aborted) {
      const match = matchOf(people, 2, Date.now(), randomUUID());
      const status = await post(url, key, match);
      if (status === 503) this.refused.push(performance.now());
      if (status === 200) this.acknowledged.push(match.id);
      await pause(PROBE_EVERY_MS);
    }
  }

  /** Stops adding matches; the queues may still contain some. */
  async finish(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.finish();
    await Promise.all(this.#senders.map((sender) => sender.close()));
  }
}

/** @returns the status; undefined without a response */
async function post(url: string, key: string, event: object): Promise<number | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(event),
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}
