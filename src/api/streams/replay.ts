import type { TimerClock } from '#platform/clock.ts';
import { cursorAfter, resetReason } from '#store/game/change-cursors.ts';
import { changeEvents, endByReset, type EventDeps } from './change-events.ts';
import type { FeedGroup } from './feed-group.ts';
import type { Subscriber } from './subscribers.ts';
import type { StreamMetrics } from './metrics.ts';

/** How long a client may take to read a page. */
const MAX_STALL_MS = 30_000;

/** Sends what has changed since the place of a subscriber, as fast as its client reads, until it joins the group. */
export async function replay(
  deps: EventDeps & { clock: TimerClock; metrics: StreamMetrics },
  subscriber: Subscriber,
  group: FeedGroup,
): Promise<void> {
  const { stream, order } = subscriber;
  let place = order.from;
  while (stream.isOpen) {
    if (place.number > group.place.number) await group.advance();
    if (place.number === group.place.number) return group.join(subscriber);
    const page = await group.read(place);
    const reason = resetReason(place, page.feed);
    if (reason !== undefined) return endByReset(stream, reason);
    if (page.changes.length > 0) {
      stream.send(changeEvents(deps, place, page.changes));
      deps.metrics.sent('change', page.changes.length);
      await readInTime(deps.clock, subscriber);
    }
    place = cursorAfter(place, page.end);
  }
}

async function readInTime(clock: TimerClock, { stream }: Subscriber): Promise<void> {
  const stop = new AbortController();
  const stalled = clock.wait(MAX_STALL_MS, stop.signal).then(() => !stop.signal.aborted && stream.endSlow());
  await Promise.race([stream.drained(), stalled]);
  stop.abort();
}
