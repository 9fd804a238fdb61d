import type { Config } from '#platform/config/config.ts';
import { changeItem, headJson } from '#http/change-item.ts';
import { timestampsIn, type WriteTimestamp } from '#http/timestamps.ts';
import type { Queryable } from '#db/db.ts';
import { type Change, CHANGE_TYPES } from '#store/game/changes.ts';
import { matchHeadByKey } from '#store/game/matches.ts';
import type { MessageType } from '#store/applications/webhooks/deliveries.ts';
import { type AfterReset } from '#store/applications/webhooks/webhooks.ts';

/** A message of form `standard`: its id, which attempts share, and its body. */
export interface Message {
  id: string;
  type: string;
  body: string;
}

/** How the data API renders. */
export interface Rendering {
  timestamp: WriteTimestamp;
  api: string;
  site: string;
}

export const renderingOf = ({ API_URL, SITE_URL, TIME_ZONE }: Config): Rendering => ({
  timestamp: timestampsIn(TIME_ZONE),
  api: API_URL,
  site: SITE_URL,
});

const bodyOf = (type: string, time: number, data: object): string =>
  JSON.stringify({ type, timestamp: new Date(time).toISOString(), data });

/** A change as `/v1/changes` lists it, with the head of a match: the receiver reads the rest by the address. */
export async function changeMessage(
  db: Queryable,
  render: Rendering,
  webhook: { id: string; feed: string },
  change: Change,
): Promise<Message> {
  const { number, kind, key, type, time } = change;
  const hasHead = kind === 'match' && !CHANGE_TYPES[type].removes;
  const item = changeItem(render, change);
  const data = { ...item, ...(hasHead && (await headOf(db, render, key))) };
  return {
    id: `msg_${webhook.id}_${webhook.feed}_${number}`,
    type: item.type,
    body: bodyOf(item.type, time, data),
  };
}

/** Empty for a match that was withdrawn since: a newer change follows. */
async function headOf(db: Queryable, render: Rendering, key: number): Promise<{ match?: object }> {
  const found = await matchHeadByKey(db, key);
  return found === undefined ? {} : { match: JSON.parse(`${headJson(render, found)}}`) as object };
}

/** What the messages say that are no changes. */
export interface MessageData {
  'webhook.verification': { challenge: string };
  'webhook.test': { webhook: string };
  'webhook.probe': { webhook: string };
  /** Where the webhook continues: at the end of the feed, or at its beginning. */
  'feed.reset': { continues: AfterReset };
}

export function otherMessage<T extends MessageType>(
  { id, number }: { id: string; number: number },
  type: T,
  time: number,
  data: MessageData[T],
): Message {
  return { id: `msg_${id}_log_${number}`, type, body: bodyOf(type, time, data) };
}
