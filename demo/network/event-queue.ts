import type { WireEvent } from '#events/schema.ts';

export interface Timed {
  time: number;
  event: WireEvent;
}

/** Events waiting for their moment, given out in the order of time; those of one moment in the order they came in. */
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

  *until(time: number): Generator<WireEvent> {
    for (; this.#next < this.#waiting.length; this.#next++) {
      const first = this.#waiting[this.#next]!;
      if (first.time > time) return;
      yield first.event;
    }
  }
}
