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
