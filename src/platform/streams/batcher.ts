import { setImmediate } from 'node:timers/promises';

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
    for (await setImmediate(); waiting.size > 0; await setImmediate()) {
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
