import type { QueuedEvent } from './event.ts';

/** The types of events of which the service stores only the newest of a server. */
const OF_THE_PRESENT: readonly string[] = ['server.presence', 'match.progress'];
/** The service rejects older ones. */
const MAX_AGE_MS = 300_000;

/**
 * Leaves out obsolete reports of the present: all but the newest of each type, and those that the service would reject
 * for their age.
 * @param now epoch milliseconds
 */
export function withoutStale(events: readonly QueuedEvent[], now: number): QueuedEvent[] {
  const newest = new Map<string, number>();
  for (const { event } of events)
    if (isOfThePresent(event)) newest.set(event.type, Math.max(eventTime(event), newest.get(event.type) ?? -Infinity));
  return events.filter(({ event }) => {
    if (!isOfThePresent(event)) return true;
    const time = eventTime(event);
    return time === newest.get(event.type) && time >= now - MAX_AGE_MS;
  });
}

const eventTime = ({ time }: QueuedEvent['event']): number => Date.parse(time);

/** One with an invalid time is sent, so that the service reports the problem. */
const isOfThePresent = (event: QueuedEvent['event']): boolean =>
  OF_THE_PRESENT.includes(event.type) && !Number.isNaN(eventTime(event));
