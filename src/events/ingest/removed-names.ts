import { anyRemovedName, removedNames } from '#store/accounts/removed-names.ts';
import { type RenamedPlayer, withoutNumber } from '#store/game/own-teams.ts';
import { hasName, rename, renamedJson } from '#store/game/renamed-json.ts';
import { nameKey, uuidLabel, uuidOf } from '#text/text.ts';
import { findNamed } from '../handlers/punishments.ts';
import { hashedId, uuidsWithin } from '../ledger/pseudonyms.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';
import type { PreparedEvent } from '../schema/index.ts';
import { typeOf } from '../schema/index.ts';
import type { Item } from './prepare.ts';

type Removed = Awaited<ReturnType<typeof removedNames>>;

/**
 * Leaves removed names out of new events, unless a game server reports one with a time after its removal. An event of an
 * export, which has a receipt, is as the network accepted it from a game server.
 * @returns the items, with the id as sent if the event has another one now
 */
export async function withoutRemovedNames<I extends Item & { sentId?: string }>(
  work: UnitOfWork,
  items: readonly I[],
): Promise<readonly I[]> {
  const { tx } = work;
  if (!(await anyRemovedName(tx))) return items;
  const punished = await punishedByChanges(work, items);
  const uuids = new Set(punished.values());
  for (const { checked } of items) if (isNaming(checked)) uuidsWithin(JSON.parse(checked.raw), uuids);
  const removed = await removedNames(tx, [...uuids]);
  return removed.size === 0 ? items : items.map((item) => withoutNames(tx, item, removed, punished.get(item)));
}

/** The UUIDs of the players whose punishments events change: the events name the punishments alone. */
async function punishedByChanges(work: UnitOfWork, items: readonly Item[]): Promise<ReadonlyMap<Item, string>> {
  if (work.rows.has('punishments')) await work.flush();
  const [issued, punished] = [new Map<string, string>(), new Map<Item, string>()];
  for (const item of items) {
    if (!('event' in item.checked)) continue;
    const { event } = item.checked;
    const own = item.sender.kind === 'server' ? item.sender.serverName : (event.server ?? '');
    if (event.type === 'punishment.issued')
      issued.set(`${nameKey(own)} ${event.data.punishment}`, event.data.punished.uuid);
    if ((event.type !== 'punishment.changed' && event.type !== 'punishment.revoked') || !event.data.reason) continue;
    const named = { ...event.data, server: event.data.server ?? own };
    const uuid =
      issued.get(`${nameKey(named.server)} ${named.punishment}`) ?? (await findNamed(work.tx, 0, named))?.punished_uuid;
    if (uuid !== undefined) punished.set(item, uuid);
  }
  return punished;
}

/** Changes the data of an event as if it named the punished player. */
function aboutPunished<Data extends object>(
  uuid: string | undefined,
  data: Data,
  change: (data: Data) => object,
): object {
  if (uuid === undefined) return change(data);
  const { punished: _, ...changed } = change({ ...data, punished: { uuid } }) as { punished: unknown };
  return changed;
}

const isNaming = (checked: Item['checked']): checked is Extract<Item['checked'], { event: PreparedEvent }> =>
  'event' in checked && typeOf(checked.event.type).pseudonyms !== 'never';

function withoutNames<I extends Item & { sentId?: string }>(
  { keyedHash }: Pick<UnitOfWork['tx'], 'keyedHash'>,
  item: I,
  removed: Removed,
  punished: string | undefined,
): I {
  const { checked } = item;
  if (!isNaming(checked)) return item;
  const { event, raw, envelope } = checked;
  const isStored = typeOf(event.type).stored !== 'never';
  const renamed = new Map<string, RenamedPlayer & { only: Set<string> }>();
  const sent = JSON.parse(raw) as object;
  const whole = { ...sent, ...(punished !== undefined && { punished: { uuid: punished } }) };
  eachNamed([whole, envelope && JSON.parse(envelope)], (uuid, name) => {
    const names = removed.get(uuid);
    const until = names?.until(name);
    if (until === undefined || isKept(item, event, until)) return;
    const only = (renamed.get(uuid)?.only ?? new Set()).add(nameKey(name));
    renamed.set(uuid, { uuid, name: isStored ? uuidLabel(uuid) : names!.present, only, names: only });
  });
  if (renamed.size === 0) return item;
  const names = [...renamed.values()].flatMap(({ only }) => [...only]);
  const id = hasName(event.id, names) ? hashedId(keyedHash, event.id) : event.id;
  const { prepared } = typeOf(event.type);
  const data = aboutPunished(punished, event.data, (own) => prepared.rename(own, renamed) as object);
  return {
    ...item,
    ...(id !== event.id && { sentId: item.sentId ?? event.id }),
    checked: {
      ...checked,
      event: { ...event, id, data } as PreparedEvent,
      raw: JSON.stringify(aboutPunished(punished, sent, (own) => rename(own, renamed) as object)),
      ...(envelope !== undefined && { envelope: renamedJson(envelope, renamed) }),
      // The hash would prove which name the event had.
      hash: null,
    },
  };
}

/** A match is observed at its end, which may be long before the report. */
function isKept({ sender }: Item, { time, data, receipt }: PreparedEvent, until: number): boolean {
  const { finished = time } = data as { finished?: number };
  return (sender.kind === 'server' || receipt !== undefined) && Math.min(time, finished) > until;
}

/**
 * Visits what may name a player by its UUID: the name beside it, those of its team and of the team that it scored for, and the
 * words of the reason of its punishment.
 */
function eachNamed(value: unknown, visit: (uuid: string, name: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  const { uuid, name, players, player, team, punished, reason } = value as Record<string, unknown>;
  const visitAll = (sent: unknown, names: readonly string[]): void => {
    const own = typeof sent === 'string' ? uuidOf(sent) : undefined;
    if (own !== undefined) for (const one of names) visit(own, one);
  };
  if (typeof name === 'string') {
    visitAll(uuid, [name]);
    if (Array.isArray(players))
      for (const one of players as unknown[]) visitAll(uuidIn(one), [name, withoutNumber(name)]);
  }
  if (typeof team === 'string') visitAll(uuidIn(player), [team, withoutNumber(team)]);
  if (typeof reason === 'string') visitAll(uuidIn(punished), reason.match(WORDS) ?? []);
  for (const part of Object.values(value)) eachNamed(part, visit);
}

const WORDS = /\.?[\p{L}\p{M}\p{N}_]+/gu;

const uuidIn = (value: unknown): unknown => (value as { uuid?: unknown } | null | undefined)?.uuid;
