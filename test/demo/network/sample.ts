import type { WireEvent } from '#events/schema/index.ts';
import { sampleNetwork, type Sample } from '#demo/network/index.ts';

export const NOW = Date.parse('2026-03-04T15:00:00Z');

export type OfType<T extends WireEvent['type']> = Extract<WireEvent, { type: T }>;

/** A short history is enough for most tests; it is generated once for all of them. */
export const SHORT = { seed: 'test', now: NOW, matches: 300 };

let cached: { sample: Sample; events: WireEvent[] } | undefined;

export function shortHistory(): { sample: Sample; events: WireEvent[] } {
  if (cached === undefined) {
    const sample = sampleNetwork(SHORT);
    cached = { sample, events: [...sample.events()] };
  }
  return cached;
}

export function ofType<T extends WireEvent['type']>(events: readonly WireEvent[], type: T): OfType<T>[] {
  return events.filter((event): event is OfType<T> => event.type === type);
}

/** Finds the hour of a timestamp in a time zone, 0 to 23, without the calendar of the network. */
export function hoursIn(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' });
  return (time) => Number(format.format(time));
}
