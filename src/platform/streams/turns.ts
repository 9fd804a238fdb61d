import { setImmediate } from 'node:timers/promises';

/** The longest stretch of work on one body before other requests get a turn of the event loop. */
const MAX_STRETCH_MS = 20;

let last: Promise<unknown> = Promise.resolve();

/**
 * Waits for a turn of the event loop. One of those who wait continues in each turn, so that a small request waits for one
 * large body at most, however many are in progress.
 */
export async function nextTurn(): Promise<void> {
  const turn = last.then(() => setImmediate());
  last = turn;
  await turn;
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
