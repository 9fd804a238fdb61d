import { type ChildProcess, fork } from 'node:child_process';
import type { Db } from '#db/db.ts';
import { answerOf } from '#test/support/child-reply.ts';
import { createReaderIn } from '../support/prepare.ts';
import type { SubscribersOrder, SubscribersReport } from './subscribers-process.ts';

/** The stream from the present on. */
export const STREAM_PATH = '/v1/changes/stream';
/** Lets one address open them all. */
export const STREAM_LIMITS: NodeJS.ProcessEnv = {};

/** Subscribers of streams in a separate process, so that their CPU time does not count as the service's. */
export class Subscribers implements Disposable {
  readonly child: ChildProcess;

  constructor() {
    this.child = fork(new URL('./subscribers-process.ts', import.meta.url), { execArgv: [] });
  }

  /** Opens streams; the answer says how many. */
  async open(order: Exclude<SubscribersOrder, string>): Promise<SubscribersReport> {
    return await this.#send(order);
  }

  /** What came since the last report. */
  async report(): Promise<SubscribersReport> {
    return await this.#send('report');
  }

  [Symbol.dispose](): void {
    this.child.disconnect();
  }

  async #send(order: SubscribersOrder): Promise<SubscribersReport> {
    this.child.send(order);
    return await answerOf<SubscribersReport>(this.child);
  }
}

/** Creates applications, because each may open some streams only; returns a token of each. */
export async function createSubscribers(db: Db, count: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let number = 0; number < count; number++) tokens.push((await createReaderIn(db)).token);
  return tokens;
}

/** Makes one change: a player has another name. */
export async function rename(port: number, key: string, number: number): Promise<void> {
  const player = { uuid: '5c0fe11a-0000-4000-8000-000000000001', name: `Renamed${number}` };
  const event = { version: 1, id: `login ${number}`, type: 'player.login', time: new Date().toISOString() };
  const response = await fetch(`http://127.0.0.1:${port}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...event, data: { player } }),
  });
  const text = await response.text();
  if (!text.includes('"accepted"')) throw new Error(`POST /events: ${response.status} ${text}`);
}
