import { Agent, get, type IncomingMessage } from 'node:http';
import { percentile } from '#bench/statistics.ts';
import { processUsage } from '#bench/child.ts';

/** Many subscribers of a stream of server-sent events, in a separate process. */

/** Opens streams, or asks for a report about what came since the last one. */
export type SubscribersOrder = { open: number; port: number; path: string; tokens: readonly string[] } | 'report';

export interface SubscribersReport {
  open: number;
  /** Sentences about streams that did not open or have ended. */
  problems: string[];
  /** The number of events with a time. */
  received: number;
  /** From the time of the change to its receipt, in milliseconds. */
  p50: number;
  p99: number;
  /** The bytes of the last event. */
  event: string;
  /** CPU seconds of the subscribers. */
  cpu: number;
}

const CONCURRENT = 50;
const MAX_PROBLEMS = 5;

let open = 0;
let problems: string[] = [];
let delays: number[] = [];
let event = '';
const agent = new Agent({ maxSockets: Infinity });

class Subscriber {
  #rest = '';

  /** Resolves when the stream has begun. */
  async start(port: number, path: string, token: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const request = get({ host: '127.0.0.1', port, path, headers, agent }, (response) => {
      if (response.statusCode === 200) open++;
      else problems.push(`GET ${path}: ${response.statusCode}`);
      this.#read(response);
      resolve();
    });
    request.on('error', (error) => {
      problems.push(error.message);
      resolve();
    });
    await promise;
  }

  #read(response: IncomingMessage): void {
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      const received = Date.now();
      const events = (this.#rest + text).split('\n\n');
      this.#rest = events.pop()!;
      for (const one of events) this.#receive(one, received);
    });
    response.on('error', () => undefined);
    response.on('close', () => {
      if (response.statusCode === 200) open--;
      problems.push('a stream has ended');
    });
  }

  #receive(text: string, received: number): void {
    const time = /"time":"([^"]+)"/.exec(text)?.[1];
    if (time === undefined) return;
    delays.push(received - Date.parse(time));
    event = `${text}\n\n`;
  }
}

process.on('message', (order: SubscribersOrder) => {
  if (order !== 'report') return void openAll(order).then(report);
  report();
});
process.on('disconnect', () => process.exit());

async function openAll({ open: count, port, path, tokens }: Exclude<SubscribersOrder, string>): Promise<void> {
  for (let number = 0; number < count; number += CONCURRENT) {
    const some = Array.from({ length: Math.min(CONCURRENT, count - number) }, (_, place) => number + place);
    await Promise.all(some.map((index) => new Subscriber().start(port, path, tokens[index % tokens.length]!)));
  }
}

function report(): void {
  process.send!({
    open,
    problems: problems.slice(0, MAX_PROBLEMS),
    received: delays.length,
    p50: percentile(delays, 0.5),
    p99: percentile(delays, 0.99),
    event,
    cpu: processUsage().cpu,
  } satisfies SubscribersReport);
  problems = [];
  delays = [];
}
