import { setImmediate as turn } from 'node:timers/promises';

/** The longest stretch of work before other requests get a turn of the event loop. */
const MAX_STRETCH_MS = 20;

let last: Promise<unknown> = Promise.resolve();

/**
 * Waits for a turn of the event loop. One of those who wait continues in each turn, so that a small request waits for one
 * large body at most, however many are in progress.
 */
export async function nextTurn(): Promise<void> {
  const next = last.then(() => turn());
  last = next;
  await next;
}

/** Maps items, in order, and gives a turn to other requests every `MAX_STRETCH_MS`. */
export async function mapInTurns<T, R>(items: Iterable<T>, map: (item: T) => R): Promise<R[]> {
  const mapped: R[] = [];
  let began = performance.now();
  for (const item of items) {
    if (performance.now() - began >= MAX_STRETCH_MS) {
      await nextTurn();
      began = performance.now();
    }
    mapped.push(map(item));
  }
  return mapped;
}

/**
 * Work that is synchronous although it is awaited, such as statements of SQLite: a loop of it would never end its turn of the
 * event loop.
 */
export class Stretch {
  /** When the first work of this turn began (`performance.now()`); undefined if there was none. */
  #began: number | undefined;

  /** Call it before each piece of work. Waits for the next turn if the work of this one has taken `MAX_STRETCH_MS`. */
  async giveTurn(): Promise<void> {
    if (this.#began !== undefined && performance.now() - this.#began >= MAX_STRETCH_MS) await turn();
    if (this.#began !== undefined) return;
    this.#began = performance.now();
    setImmediate(() => (this.#began = undefined));
  }
}

/** An item that waits for its result. Once it is settled, further calls do nothing. */
export interface Pending<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface BatcherOptions<Item, Result> {
  /** Settles each item of the batch. If it throws, the items that are not settled fail with its error. */
  run: (batch: readonly Pending<Item, Result>[]) => Promise<void>;
  /** Chooses the items of the next batch, at least one, from those that wait, oldest first; by default all. */
  choose?: (waiting: readonly Pending<Item, Result>[]) => readonly Pending<Item, Result>[];
  /** Each key has separate batches, which run concurrently with those of other keys; by default there is one key. */
  key?: (item: Item) => string;
}

export interface Batcher<Item, Result> {
  readonly add: (item: Item) => Promise<Result>;
  /** Resolves when no item waits. */
  readonly idle: () => Promise<void>;
}

/** Batches the items of one event-loop turn, and then those that arrive while a batch runs. */
export function batcher<Item, Result = void>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { run, choose = (waiting) => waiting, key = () => '' } = options;
  const queues = new Map<string, { waiting: Set<Pending<Item, Result>>; drained: Promise<void> }>();
  const drain = async (name: string, waiting: Set<Pending<Item, Result>>): Promise<void> => {
    for (await turn(); waiting.size > 0; await turn()) {
      const batch = choose([...waiting]);
      for (const pending of batch) waiting.delete(pending);
      try {
        await run(batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    queues.delete(name);
  };
  return {
    add(item) {
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      const name = key(item);
      const { waiting } = queues.getOrInsertComputed(name, () => {
        const added = new Set<Pending<Item, Result>>();
        return { waiting: added, drained: drain(name, added) };
      });
      waiting.add({ item, resolve, reject });
      return promise;
    },
    async idle() {
      while (queues.size > 0) await Promise.all([...queues.values()].map(({ drained }) => drained));
    },
  };
}
