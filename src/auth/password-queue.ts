import { clientNetworks } from '#http/client-address.ts';
import { unavailable } from '#http/errors.ts';
import type { RequestInfo } from './client-info.ts';

/**
 * Each hash occupies a core, 19 MiB and one of the four threads of libuv's pool. The pool also compresses responses, signs
 * tokens, resolves names and reads files, so two threads are left to those.
 */
const MAX_RUNNING = 2;
/** Browsers that are not recognised can send any number of guesses, so their hashes occupy one core only. */
const MAX_OTHERS_RUNNING = 1;
/** Limits the wait of other browsers: 100 hashes of 50 ms take 5 seconds. */
const MAX_WAITING = 100;

/** Recognised: signed in, has signed in to the account before, or has opened a link of a mail to the account. */
export type Requester = 'recognised' | 'other';

/**
 * Limits the password hashes that run at a time. Recognised and other browsers have separate queues, with one running hash
 * reserved for each. Networks take turns, so that no request waits for all requests of another network.
 */
export class PasswordQueue {
  readonly #queues: Record<Requester, FairQueue> = {
    other: new FairQueue(MAX_OTHERS_RUNNING),
    recognised: new FairQueue(MAX_RUNNING),
  };

  /**
   * Waits for its turn and runs the work. A request whose client disconnects before that leaves the queue.
   * @throws HttpError 503 with `Retry-After` if the work has not been run: the queue is full, or the service stops
   */
  async run<T>(
    requester: Requester,
    { address, answered }: Pick<RequestInfo, 'address' | 'answered'>,
    work: () => Promise<T>,
  ): Promise<T> {
    const queue = this.#queues[requester];
    const network = widestNetwork(address);
    const turn = queue.enter(network, answered);
    this.#startNext();
    await turn;
    try {
      return await work();
    } finally {
      queue.leave(network);
      this.#startNext();
    }
  }

  /**
   * Refuses a request as `run` would, for callers that count attempts before: a refused one must not use up a limit.
   * @throws HttpError 503 with `Retry-After`
   */
  refuseIfFull(requester: Requester, { address }: Pick<RequestInfo, 'address'>): void {
    if (this.#queues[requester].refuses(widestNetwork(address))) throw unavailable();
  }

  /** Refuses all waiting requests, because the service stops. */
  close(): void {
    for (const queue of Object.values(this.#queues)) queue.close();
  }

  #startNext(): void {
    const { other, recognised } = this.#queues;
    // The others first: recognised browsers could otherwise keep both places.
    for (const queue of [other, recognised])
      while (other.running + recognised.running < MAX_RUNNING && queue.startNext());
  }
}

/** If each /64 counted, an attacker with a /48 would get 65,536 turns. */
const widestNetwork = (address: string): string => clientNetworks(address).at(-1)!.name;

interface Waiter {
  start: () => void;
  /** Does nothing after the start. */
  refuse: () => void;
}

class FairQueue {
  readonly #maxRunning: number;
  /** The networks with a running hash: each has one at a time. */
  readonly #running = new Set<string>();
  /** The waiting requests of each network; networks in the order of their turns. */
  readonly #queues = new Map<string, Waiter[]>();
  #waiting = 0;
  #isClosed = false;

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  get running(): number {
    return this.#running.size;
  }

  /** A full queue drops a request of the network with the most: the new one, if its network has as many. */
  refuses(network: string): boolean {
    if (this.#isClosed) return true;
    return this.#waiting >= MAX_WAITING && this.#waitersFrom(network).length + 1 >= this.#longest.length;
  }

  /** Queues a request. The promise resolves when its turn has come. */
  async enter(network: string, disconnected: Promise<void>): Promise<void> {
    if (this.refuses(network)) throw unavailable();
    if (this.#waiting >= MAX_WAITING) this.#longest.at(-1)!.refuse();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const refuse = (): void => {
      const waiters = this.#waitersFrom(network);
      if (!waiters.includes(waiter)) return;
      this.#set(
        network,
        waiters.filter((each) => each !== waiter),
      );
      this.#waiting--;
      reject(unavailable());
    };
    const waiter: Waiter = { start: resolve, refuse };
    this.#set(network, [...this.#waitersFrom(network), waiter]);
    this.#waiting++;
    void disconnected.then(refuse);
    await promise;
  }

  leave(network: string): void {
    this.#running.delete(network);
  }

  /** @returns false if no request may start */
  startNext(): boolean {
    if (this.running >= this.#maxRunning) return false;
    const network = this.#queues.keys().find((each) => !this.#running.has(each));
    if (network === undefined) return false;
    const [next, ...others] = this.#waitersFrom(network);
    // A network goes to the end of the turns.
    this.#queues.delete(network);
    this.#set(network, others);
    this.#waiting--;
    this.#running.add(network);
    next!.start();
    return true;
  }

  close(): void {
    this.#isClosed = true;
    for (const waiters of this.#queues.values()) for (const waiter of waiters) waiter.refuse();
  }

  get #longest(): Waiter[] {
    return this.#queues.values().reduce((longest, each) => (each.length > longest.length ? each : longest), []);
  }

  #waitersFrom(network: string): Waiter[] {
    return this.#queues.get(network) ?? [];
  }

  #set(network: string, waiters: Waiter[]): void {
    if (waiters.length === 0) this.#queues.delete(network);
    else this.#queues.set(network, waiters);
  }
}
