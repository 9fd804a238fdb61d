import type { Config } from '#platform/config/config.ts';
import { idOf } from '#platform/ids.ts';
import type { Queryable } from '#db/db.ts';
import { type Change, CHANGE_TYPES, type ResourceKind } from '#store/game/changes.ts';
import { matchHeadByKey } from '#store/game/matches.ts';
import type { MessageType } from '#store/applications/webhooks/deliveries.ts';
import { type AfterReset } from '#store/applications/webhooks/webhooks.ts';

/** A message of form `standard`: its id, which attempts share, and its body. */
export interface Message {
  id: string;
  type: string;
  body: string;
}

type Addresses = Pick<Config, 'API_URL' | 'SITE_URL'>;

const PATHS: Record<ResourceKind, string> = {
  match: 'matches',
  map: 'maps',
  punishment: 'punishments',
  player: 'players',
  server: 'servers',
};

const bodyOf = (type: string, time: number, data: object): string =>
  JSON.stringify({ type, timestamp: new Date(time).toISOString(), data });

/** A change as `/v1/changes` lists it, with the head of a match: the receiver reads the rest by the address. */
export async function changeMessage(
  db: Queryable,
  config: Addresses,
  webhook: { id: string; feed: string },
  change: Change,
): Promise<Message> {
  const { number, kind, key, type: changeType, revision, time } = change;
  const [id, type] = [idOf(key), `${kind}.${changeType}`];
  const { removes } = CHANGE_TYPES[changeType];
  const data = {
    ...{ id, type, revision, time: new Date(time).toISOString() },
    ...(!removes && { url: `${config.API_URL}/v1/${PATHS[kind]}/${id}` }),
    ...(!removes && kind === 'match' && (await headOf(db, config, key))),
  };
  return { id: `msg_${webhook.id}_${webhook.feed}_${number}`, type, body: bodyOf(type, time, data) };
}

/** Empty for a match that was withdrawn since: a newer change follows. */
async function headOf(db: Queryable, { SITE_URL }: Addresses, key: number): Promise<{ match?: object }> {
  const found = await matchHeadByKey(db, key);
  if (found === undefined) return {};
  const { head, started, finished } = found;
  const facts = JSON.parse(`${head}}`) as object;
  const times = { started: new Date(started).toISOString(), finished: new Date(finished).toISOString() };
  return { match: { ...facts, ...times, permalink_url: `${SITE_URL}/matches/${idOf(key)}` } };
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
