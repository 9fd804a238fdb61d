import { amount } from '#text/amount.ts';
import { nameKey } from '#text/text.ts';
import { exists, type Queryable } from '#db/db.ts';
import { insertAll, sql } from '#db/sql.ts';
import { problemOf } from '../schema/problems.ts';
import { type EventContext, EventRejected, type HandlerResult, type UnitOfWork } from '../ledger/unit-of-work.ts';
import { AGGREGATE_ONLY, type Effects, PLAIN_EFFECT, type AggregateKind } from './event-effect.ts';
import type { DataOf } from '../schema/index.ts';
import type { ROTATION_EVENTS, SERVER_EVENTS } from '../schema/servers.ts';
import { forgetSeen } from '#store/game/live-matches.ts';
import { mapNameBySlug } from '#store/game/maps/map-names.ts';
import { mapSlug } from '#text/map-slug.ts';
import { mapByExactName } from '#store/game/maps/maps.ts';
import type { Server } from '#store/game/servers.ts';
import { LEDGER, type LedgerRow } from '../ledger/ledger-rows.ts';

/** Adds a server that is not configured yet. */
export async function addServer(tx: Queryable, key: number, name: string): Promise<Server> {
  await tx.run(sql`
    insert into servers (key, name, name_key, region, icon, sort_order, max)
    values (${key}, ${name}, ${nameKey(name)}, '', '', 0, 0)`);
  return { key, name };
}

export async function undoAddServer(tx: Queryable, key: number): Promise<void> {
  await tx.run(sql`delete from servers where key = ${key}`);
}

/** Stores the configuration of a server. A removed server becomes active again. */
async function applyConfigured(context: EventContext, data: DataOf<'server.configured'>): Promise<undefined> {
  const { work, server } = context;
  const { key } = server!;
  const isActive = await exists(work.tx, sql`select 1 as found from servers where key = ${key} and removed is null`);
  work.changes.add('server', key, isActive ? 'changed' : 'created');
  await work.tx.run(sql`
    update servers
    set region = ${data.region}, sort_order = ${data.order}, icon = ${data.icon}, max = ${data.max},
      punishments = coalesce(${data.punishments ?? null}, punishments), removed = null
    where key = ${key}`);
}

/** Marks a server as removed and deletes its rotation, presence, running match, keys and connections. Its matches stay. */
async function applyRemoved({ work, server, time, isReplay }: EventContext): Promise<HandlerResult> {
  const { tx } = work;
  const { key } = server!;
  await tx.run(sql`delete from rotations where server_key = ${key}`);
  // A replay only rebuilds the rotation: the server may have been configured again since.
  if (isReplay) return undefined;
  await tx.run(sql`update servers set removed = ${time} where key = ${key}`);
  work.changes.add('server', key, 'withdrawn');
  await tx.run(sql`delete from presence where server_key = ${key}`);
  await tx.run(sql`delete from server_keys where server_key = ${key}`);
  await tx.run(sql`delete from server_watches where server_key = ${key}`);
  await forgetSeen(tx, key);
  await tx.run(sql`delete from managed_servers where server_key = ${key}`);
  return undefined;
}

/** Maximum age of a report of the present: an older one was delayed and is worthless, or the sender's clock is wrong. */
const PRESENCE_AGE_MS = 300_000;

/** Stores the newest heartbeat of a server, each name once; an older one has no effect. */
async function applyPresence(context: EventContext, data: DataOf<'server.presence'>): Promise<HandlerResult> {
  const { work, eventId: id, server, time } = context;
  const players = [...new Map(data.players.map((name) => [nameKey(name), name])).values()];
  const playerCount = data.player_count ?? players.length;
  const playing = Math.min(data.current, playerCount);
  const received = observedAt(context, 'a heartbeat');
  const currentMap = await mapNameOf(work, data.current_map);
  const stored = await work.tx.get<{ max: number }>(sql`
    insert into presence (server_key, event_id, time, received, playing, players, player_count, gamemode,
      current_map, current_map_key, next_map)
    values (${server!.key}, ${id}, ${time}, ${received}, ${playing}, ${JSON.stringify(players)},
      ${playerCount}, ${data.gamemode}, ${currentMap}, ${nameKey(currentMap)}, ${data.next_map})
    on conflict (server_key) do update set
      event_id = excluded.event_id, time = excluded.time, received = excluded.received, playing = excluded.playing,
      players = excluded.players, player_count = excluded.player_count, gamemode = excluded.gamemode,
      current_map = excluded.current_map, current_map_key = excluded.current_map_key, next_map = excluded.next_map
    where excluded.time > presence.time
    returning (select max from servers where key = server_key) as max`);
  if (stored !== undefined) {
    work.reported.add(server!.key);
    return beyondCapacity(playerCount, stored.max);
  }
  const isRepeated = await exists(
    work.tx,
    sql`select 1 as found from presence where server_key = ${server!.key} and event_id = ${id} and time = ${time}`,
  );
  return isRepeated ? { duplicateOf: null } : { note: 'nothing changed: a newer heartbeat is already stored' };
}

/** The name of a map that is given by PGM's id, as a log has it; otherwise the text itself. */
async function mapNameOf({ tx, now }: UnitOfWork, map: string): Promise<string> {
  if (mapSlug(map) !== map || map === '' || (await mapByExactName(tx, map)) !== undefined) return map;
  return (await mapNameBySlug(tx, now, map)) ?? map;
}

/**
 * The time at which a report of the present counts as received; an operator's report counts at its own time, so that
 * imported reports expire.
 * @throws EventRejected if it came too late
 */
export function observedAt({ work, time, sender }: EventContext, noun: string): number {
  if (sender.kind === 'operator') return Math.min(time, work.now);
  if (time >= work.now - PRESENCE_AGE_MS) return work.now;
  throw new EventRejected(
    'time',
    `is more than 5 minutes ago: ${noun} describes the present; discard old ones and check the clock`,
  );
}

/** A heartbeat with more players than the server has places; 0 places are a lobby. */
function beyondCapacity(players: number, max: number): HandlerResult {
  if (max === 0 || players <= max) return undefined;
  return { warnings: [problemOf(`has ${players} names, but the server has ${amount(max, 'place')}`, 'data.players')] };
}

export const SERVER_EFFECTS: Effects<typeof SERVER_EVENTS> = {
  'server.configured': {
    ...PLAIN_EFFECT,
    apply: applyConfigured,
    changes: ['server'],
    retract: { reversedBy: 'server.configured' },
  },
  'server.presence': {
    ...PLAIN_EFFECT,
    apply: applyPresence,
    changes: [],
    retract: 'not stored',
  },
  'server.removed': {
    ...PLAIN_EFFECT,
    apply: applyRemoved,
    changes: ['server'],
    retract: { reversedBy: 'server.configured' },
  },
};

/** Replaces the rotation of a server. An event older than the stored rotation has no effect. */
async function applyRotation(context: EventContext, { maps }: DataOf<'rotation.changed'>): Promise<HandlerResult> {
  const { tx } = context.work;
  const { key } = context.server!;
  const changed = await tx.run(sql`
    insert into rotation_states (server_key, time) values (${key}, ${context.time})
    on conflict (server_key) do update set time = excluded.time where excluded.time >= rotation_states.time`);
  if (changed === 0) return { note: 'nothing changed: a newer rotation is already stored' };
  await tx.run(sql`delete from rotations where server_key = ${key}`);
  const rows = maps.map((name, position) => [key, position, name, nameKey(name)]);
  await tx.runAll(insertAll('insert into rotations (server_key, position, map_name, map_name_key) values', rows));
  return undefined;
}

/**
 * The events that determine a rotation: the newest `rotation.changed`, and a later removal of the server, which deletes the
 * rotation.
 */
async function rotationEvents(tx: Queryable, aggregate: string, name: string): Promise<LedgerRow[]> {
  const newest = await tx.get<LedgerRow>(sql`
    ${LEDGER} where l.aggregate = ${aggregate} and l.type = 'rotation.changed' and l.withdrawn is null
    order by l.aggregate desc, l.time desc, l.key desc limit 1`);
  if (newest === undefined) return [];
  const removal = await tx.get<LedgerRow>(sql`
    ${LEDGER} where l.type = 'server.removed' and l.scope_key = ${Number(name)} and l.key > ${newest.key} limit 1`);
  return removal === undefined ? [newest] : [newest, removal];
}

export const ROTATIONS: AggregateKind = {
  prefix: 'rotation',
  changes: [],
  async reset({ tx }, name) {
    await tx.run(sql`delete from rotations where server_key = ${Number(name)}`);
    await tx.run(sql`delete from rotation_states where server_key = ${Number(name)}`);
  },
  events: rotationEvents,
};

export const ROTATION_EFFECTS: Effects<typeof ROTATION_EVENTS> = {
  'rotation.changed': {
    ...PLAIN_EFFECT,
    apply: applyRotation,
    changes: [],
    aggregate: (_data, scope) => `${ROTATIONS.prefix} ${scope}`,
    retract: AGGREGATE_ONLY,
  },
};
