import { changeItem } from '#http/change-item.ts';
import { EventBytes, type EventStream, eventText } from '#http/event-stream.ts';
import type { HttpError } from '#http/errors.ts';
import { type Cursor, cursorAfter, type ResetReason } from '#store/game/change-cursors.ts';
import type { Change } from '#store/game/changes.ts';
import { ResetRequired } from '../changes.ts';
import type { Deps } from '../endpoint.ts';

export type EventDeps = Pick<Deps, 'db' | 'cursors' | 'timestamp' | 'api'>;

/** The changes after a cursor as events. */
export function changeEvents(deps: EventDeps, from: Cursor, changes: readonly Change[]): EventBytes {
  const events = changes.map((change) =>
    eventText({
      id: deps.cursors.write(cursorAfter(from, change.number)),
      event: 'change',
      data: JSON.stringify(changeItem(deps, change)),
    }),
  );
  return new EventBytes(events.join(''));
}

/** Lets the client continue from a place at which it has received nothing yet. */
export const placeEvent = ({ cursors }: EventDeps, place: Cursor): string => `id: ${cursors.write(place)}\n\n`;

export function endByReset(stream: EventStream, reason: ResetReason): void {
  stream.end({ event: 'reset', data: new ResetRequired(reason).body });
}

export function endUnauthorized(stream: EventStream, { body }: HttpError): void {
  stream.end({ event: 'unauthorized', data: body });
}
