import type { WireEvent } from '#events/schema/index.ts';

export interface Timed {
  time: number;
  event: WireEvent;
}

/** A queue of events in the order of time; events of the same time are in the order of their insertion. */
export class Queue {
  #waiting: Timed[];
  #next = 0;

  constructor(events: readonly Timed[]) {
    this.#waiting = events.toSorted((a, b) => a.time - b.time);
  }

  add({ time, event }: Timed): void {
    let place = this.#waiting.length;
    while (place > this.#next && this.#waiting[place - 1]!.time > time) place--;
    this.#waiting.splice(place, 0, { time, event });
  }

  /** Removes and yields the events up to and including `time`. */
  *until(time: number): Generator<WireEvent> {
    for (; this.#next < this.#waiting.length; this.#next++) {
      const first = this.#waiting[this.#next]!;
      if (first.time > time) return;
      yield first.event;
    }
  }
}
