import type { WireEvent } from '#events/schema.ts';
import { sampleNetwork, type Sample } from '#demo/network/index.ts';

export const NOW = Date.parse('2026-03-04T15:00:00Z');

export type OfType<T extends WireEvent['type']> = Extract<WireEvent, { type: T }>;

/** A short season is enough for most of what is to be seen; it is made once for all tests. */
export const SHORT = { seed: 'test', now: NOW, matches: 300 };

/** Saves the drawing of 40 maps where a test compares something else. */
export const NO_DRAWING = (): Buffer => Buffer.alloc(0);

let made: { sample: Sample; events: WireEvent[] } | undefined;

export function shortHistory(): { sample: Sample; events: WireEvent[] } {
  if (made === undefined) {
    const sample = sampleNetwork(SHORT);
    made = { sample, events: [...sample.events()] };
  }
  return made;
}

export function ofType<T extends WireEvent['type']>(events: readonly WireEvent[], type: T): OfType<T>[] {
  return events.filter((event): event is OfType<T> => event.type === type);
}
