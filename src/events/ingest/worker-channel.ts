import type { MessagePort, Worker } from 'node:worker_threads';
import { BusyTime, type EventQueue, type IngestOptions, MAX_QUEUED } from './event-queue.ts';
import { Unavailable } from '#platform/errors.ts';
import type { Item } from './prepare.ts';
import type { Receipt } from '../ledger/receipts.ts';

/**
 * The worker channel: an event queue whose transactions run in another thread, so that this thread reads and checks the
 * next events while a group is written.
 */

/** The events of one request. */
interface Message {
  number: number;
  dryRun: boolean;
  items: readonly Item[];
}

type Reply = { number: number } & ({ receipts: Receipt[] } | { error: unknown; isOutage: boolean });

/** The message that ends `serveWorkerChannel`. */
export const CLOSE = 'close';

type Pending = PromiseWithResolvers<Receipt[]> & { count: number };

/** The sending end of the channel. */
export class WorkerChannel implements EventQueue {
  readonly #port: MessagePort | Worker;
  readonly #pending = new Map<number, Pending>();
  #last = 0;
  #pendingEvents = 0;
  readonly #busy = new BusyTime();

  constructor(port: MessagePort | Worker) {
    this.#port = port;
    port.on('message', (reply: Reply) => this.#receive(reply));
  }

  get isFull(): boolean {
    return this.#pendingEvents >= MAX_QUEUED;
  }

  get busyMs(): number {
    return this.#busy.ms;
  }

  accept(items: readonly Item[], { dryRun = false }: IngestOptions = {}): Promise<Receipt[]> {
    const pending = { ...Promise.withResolvers<Receipt[]>(), count: items.length };
    const number = ++this.#last;
    this.#busy.begin();
    this.#pending.set(number, pending);
    this.#pendingEvents += items.length;
    this.#port.postMessage({ number, dryRun, items } satisfies Message, []);
    return pending.promise;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#pending.values().map(({ promise }) => promise));
  }

  #receive(reply: Reply): void {
    const { count, resolve, reject } = this.#pending.get(reply.number)!;
    this.#pending.delete(reply.number);
    this.#pendingEvents -= count;
    if ('isOutage' in reply) reject(reply.isOutage ? new Unavailable(reply.error) : reply.error);
    else resolve(reply.receipts);
    if (this.#pending.size === 0) this.#busy.end();
  }
}

/** The receiving end: passes each message to the event queue until `CLOSE` arrives. */
export async function serveWorkerChannel(port: MessagePort, eventQueue: EventQueue): Promise<void> {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const post = (reply: Reply): void => port.postMessage(reply, []);
  const accept = ({ number, dryRun, items }: Message): void => {
    eventQueue.accept(items, { dryRun }).then(
      (receipts) => post({ number, receipts }),
      // The other thread makes the outage again, with its cause.
      (error: unknown) => {
        const isOutage = error instanceof Unavailable;
        post({ number, error: isOutage ? error.cause : error, isOutage });
      },
    );
  };
  const receive = (message: Message | typeof CLOSE): void => (message === CLOSE ? close() : accept(message));
  port.on('message', receive);
  await closed;
  // A listener on the port would keep the thread alive.
  port.off('message', receive);
}
