import { z } from 'zod';
import { resetReason } from '#store/game/change-cursors.ts';
import { readFeed, RESOURCE_KINDS } from '#store/game/changes.ts';
import { filling, NOW, requiredCursor, ResetRequired, START, types } from './changes.ts';
import { type Endpoint, endpoint, flag } from './endpoint.ts';
import { StreamStart } from './stream-order.ts';

export const changeStream: Endpoint[] = [
  endpoint({
    path: '/v1/changes/stream',
    tag: 'Change',
    summary: 'Changes as Server-Sent Events: those after a cursor, then each when it happens',
    query: {
      after: z
        .string()
        .default(NOW)
        .meta({
          description:
            'Begin after this cursor; `0`: with all resources of the present; `now`, the default: with the next change. ' +
            'The header `Last-Event-ID` comes before it',
        }),
      types,
      presence: flag('1 adds the presence on servers and the running matches'),
    },
    response: z.string(),
    isFeed: true,
    isStream: true,
    handle: async ({ deps, lastEventId, query: { after, types: kinds, presence } }) => {
      const place = lastEventId === '' ? after : lastEventId;
      const cursor = place === START || place === NOW ? undefined : requiredCursor(deps, place);
      const feed = await readFeed(deps.db);
      if (!feed.isFilled) throw filling();
      const { id, head } = feed;
      const from = cursor ?? (place === START ? { feed: id, number: 0, walk: { head } } : { feed: id, number: head });
      const reason = resetReason(from, feed);
      if (reason !== undefined) throw new ResetRequired(reason);
      return new StreamStart({ from, head, kinds: kinds.size === 0 ? RESOURCE_KINDS : [...kinds].sort(), presence });
    },
  }),
];
