import type { MessagePort, Worker } from 'node:worker_threads';
import { BusyTime } from '#platform/busy-time.ts';
import { Unavailable } from '#platform/errors.ts';
import { type EventQueue, MAX_QUEUED } from './group-commit.ts';
import type { Item, IngestOptions } from './ledger.ts';
import type { Receipt } from './receipts.ts';

/**
 * The worker channel: an event queue whose transactions run in another thread, so that this one reads and checks the next
 * events while a group is written. Both threads collect the messages of one microtask checkpoint into one post, because
 * each post wakes the other thread.
 */

/** The events of one request. */
interface Message {
  number: number;
  dryRun: boolean;
  items: readonly Item[];
}

type Reply = { number: number } & ({ receipts: Receipt[] } | { error: unknown; isOutage: boolean });

/** The last message: it ends `serveWorkerChannel`. */
export const CLOSE = 'close';

interface Pending {
  count: number;
  receipts: Promise<Receipt[]>;
  settle: (receipts: Receipt[]) => void;
  fail: (error: unknown) => void;
}

/** The sending end of the channel. */
export class WorkerChannel implements EventQueue {
  readonly #post: (message: Message) => void;
  readonly #pending = new Map<number, Pending>();
  #last = 0;
  #waits = 0;
  readonly #busy = new BusyTime();

  constructor(port: MessagePort | Worker) {
    this.#post = postsTogether(port);
    port.on('message', (replies: Reply[]) => this.#receive(replies));
  }

  get isFull(): boolean {
    return this.#waits >= MAX_QUEUED;
  }

  get busyMs(): number {
    return this.#busy.ms;
  }

  accept(items: readonly Item[], { dryRun = false }: IngestOptions = {}): Promise<Receipt[]> {
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<Receipt[]>();
    const number = ++this.#last;
    this.#busy.begin();
    this.#pending.set(number, { count: items.length, receipts: promise, settle, fail });
    this.#waits += items.length;
    this.#post({ number, dryRun, items });
    return promise;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#pending.values()].map(({ receipts }) => receipts));
  }

  #receive(replies: Reply[]): void {
    for (const reply of replies) {
      const { count, settle, fail } = this.#pending.get(reply.number)!;
      this.#pending.delete(reply.number);
      this.#waits -= count;
      if ('isOutage' in reply) fail(reply.isOutage ? new Unavailable(reply.error) : reply.error);
      else settle(reply.receipts);
    }
    if (this.#pending.size === 0) this.#busy.end();
  }
}

/** The receiving end: hands each message to the event queue until `CLOSE` comes. */
export async function serveWorkerChannel(port: MessagePort, eventQueue: EventQueue): Promise<void> {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const post = postsTogether(port);
  const take = ({ number, dryRun, items }: Message): void => {
    eventQueue.accept(items, { dryRun }).then(
      (receipts) => post({ number, receipts }),
      (error: unknown) => post({ number, error, isOutage: error instanceof Unavailable }),
    );
  };
  const receive = (messages: Message[] | typeof CLOSE): void => {
    if (messages === CLOSE) close();
    else messages.forEach(take);
  };
  port.on('message', receive);
  await closed;
  // A port that has a listener keeps the thread alive.
  port.off('message', receive);
}

/** Posts the messages of one turn of the microtask queue as one array. */
function postsTogether(port: MessagePort | Worker): (message: Message | Reply) => void {
  let together: (Message | Reply)[] = [];
  const post = (): void => {
    port.postMessage(together, []);
    together = [];
  };
  return (message) => {
    if (together.push(message) === 1) queueMicrotask(post);
  };
}
