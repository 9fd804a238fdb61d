import { idOf } from '#platform/ids.ts';

import type { Db, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { EventName, WireEvent } from './schema/index.ts';
import { firstObservation, isUnnamed } from '#store/game/player-names.ts';
import { hasPseudonym } from '#store/game/players.ts';
import { pseudonymisedEvents } from './ledger/pseudonyms.ts';
import { displacedPlayers, type Holder } from './exported-players.ts';
import type { Completion } from './handlers/event-effect.ts';
import { effectOf } from './handlers/index.ts';
import { parseEnvelope, LEDGER, type LedgerRow, typeInLedger } from './ledger/ledger-rows.ts';
import { type LiveMatch, liveMatchOf, type UnreportedMatch, unreportedMatchesOf } from '#store/game/live-matches.ts';
import type { PunishmentScope, Server } from '#store/game/servers.ts';

/**
 * Exports the ledger as events with their receipts. An empty network that ingests them in this order gets the same data
 * with the same ids. Withdrawn events are left out; a substitute event (`server.configured`, `player.known`) creates each
 * player or server that they created and that others refer to. The export reads one database snapshot, so that a retraction
 * at the same time cannot remove an event that a substitute would have to replace.
 */
export async function* exportEvents(db: Db): AsyncGenerator<WireEvent> {
  await using snapshot = await db.snapshot();
  const shown = await pseudonymisedEvents(snapshot);
  const players = await displacedPlayers(snapshot, shown);
  const substitutes = await substituteEvents(snapshot, players.missing);
  for (let after = 0; ;) {
    const rows = await snapshot.all<LedgerRow>(
      sql`${LEDGER} where l.key > ${after} and l.withdrawn is null order by l.key limit ${BATCH_SIZE}`,
    );
    const eventOfRow = await eventsOfRows(snapshot, rows);
    for (const row of rows) {
      while (substitutes.length > 0 && substitutes[0]!.key < row.key) yield substitutes.shift()!.event;
      const event = eventOfRow(shown(row));
      const player = players.newer.get(row.key);
      yield player === undefined ? event : { ...event, player_id: idOf(player) };
    }
    if (rows.length < BATCH_SIZE) break;
    after = rows.at(-1)!.key;
  }
  for (const { event } of substitutes) yield event;
  yield* removedNames(snapshot);
  yield* presences(snapshot);
  yield* runningMatches(snapshot, shown);
}

const BATCH_SIZE = 200;

/** Returns a function that makes an event of a row, which has been pseudonymised. */
async function eventsOfRows(db: Queryable, rows: readonly LedgerRow[]): Promise<(row: LedgerRow) => WireEvent> {
  const completions = new Map<EventName, Completion>();
  for (const [type, own] of Map.groupBy(rows, ({ type }) => type)) {
    const complete = await effectOf(type).exported?.(db, own);
    if (complete !== undefined) completions.set(type, complete);
  }
  return (row) => {
    const { key, event_id: id, time, server } = row;
    const stored = JSON.parse(row.body) as Record<string, unknown>;
    const data = completions.get(row.type)?.(row, stored) ?? stored;
    const event = toWireEvent({ key, id, type: typeInLedger(row.type), time, server, data });
    return { ...event, ...parseEnvelope(row.envelope) } as WireEvent;
  };
}

interface EventParts {
  key: number;
  id: string;
  type: EventName;
  time: number;
  server?: string | null;
  data: unknown;
}

function toWireEvent({ key, id, type, time, server, data }: EventParts): WireEvent {
  const from = typeof server === 'string' ? { server } : {};
  const timestamp = new Date(time).toISOString();
  return { version: 1, id, type, time: timestamp, ...from, receipt: idOf(key), data } as WireEvent;
}

interface Substitute {
  /** The position in the export, so that the server or player gets the same key again. */
  key: number;
  event: WireEvent;
}

/**
 * Events for servers and players whose first event is missing from the export. The key of a server or player follows the
 * key of the event that created it; if that event was withdrawn or is a heartbeat, a substitute replaces it.
 */
async function substituteEvents(db: Queryable, players: readonly Holder[]): Promise<Substitute[]> {
  return [...(await serverSubstitutes(db)), ...(await playerSubstitutes(db, players))].sort((a, b) => a.key - b.key);
}

interface ServerRow {
  key: number;
  name: string;
  region: string;
  order: number;
  icon: string;
  max: number;
  punishments: PunishmentScope;
}

async function serverSubstitutes(db: Queryable): Promise<Substitute[]> {
  const rows = await db.all<ServerRow>(sql`
    select s.key, s.name, s.region, s.sort_order as "order", s.icon, s.max, s.punishments from servers s
    where not exists (select 1 from ledger l where l.key = s.key - 1 and l.scope_key = s.key and l.withdrawn is null)`);
  return rows.map(({ key, name, ...data }) => {
    const parts = { key: key - 1, id: `export server ${idOf(key)}`, time: 0, server: name, data };
    return { key: key - 1, event: toWireEvent({ ...parts, type: 'server.configured' }) };
  });
}

async function playerSubstitutes(db: Queryable, players: readonly Holder[]): Promise<Substitute[]> {
  const substitutes: Substitute[] = [];
  for (const { key, uuid, player_key, name: present } of players) {
    const observed = await firstObservation(db, player_key);
    const name = hasPseudonym({ uuid, name: present }) ? present : observed.name;
    const player = isUnnamed(name) ? { uuid } : { uuid, name };
    const parts = { key, id: `export player ${idOf(key)}`, time: observed.first, data: { player } };
    substitutes.push({ key, event: toWireEvent({ ...parts, type: 'player.known' }) });
  }
  return substitutes;
}

/** After all events, whose names are as a game server reported them after the removal. */
async function* removedNames(db: Queryable): AsyncGenerator<WireEvent> {
  const rows = await db.all<{ player_key: number; uuid: string; name_hash: string; until: number }>(sql`
    select p.key as player_key, p.uuid, r.name_hash, max(r.until) as until
    from removed_names r join players p on p.key = r.player_key
    group by p.key, p.uuid, r.name_hash order by p.key, r.name_hash`);
  for (const { player_key, uuid, name_hash: hash, until } of rows) {
    const time = new Date(until).toISOString();
    const id = `export removed name ${idOf(player_key)} ${hash}`;
    yield {
      version: 1,
      id,
      type: 'player.name_removed',
      time,
      data: { player: { uuid }, hash, until: time },
    } as WireEvent;
  }
}

async function* presences(db: Queryable): AsyncGenerator<WireEvent> {
  const rows = await db.all<Record<string, string | number>>(sql`
    select p.event_id, p.received, p.playing, p.player_count, p.players, p.gamemode, p.current_map, p.next_map, s.name
    from presence p join servers s on s.key = p.server_key where s.removed is null order by s.key`);
  for (const row of rows) {
    const { playing: current, gamemode, current_map, next_map } = row;
    const players = JSON.parse(row['players'] as string) as string[];
    const player_count = row['player_count'] as number;
    const data = {
      current,
      players,
      ...(player_count === players.length ? {} : { player_count }),
      gamemode,
      current_map,
      next_map,
    };
    const time = new Date(row['received'] as number).toISOString();
    yield { version: 1, id: row['event_id'], type: 'server.presence', time, server: row['name'], data } as WireEvent;
  }
}

/** The matches without a result of each server, oldest first; its running match last. */
async function* runningMatches(db: Queryable, shown: Shown): AsyncGenerator<WireEvent> {
  const servers = await db.all<Server>(sql`select key, name from servers where removed is null order by key`);
  for (const { key, name: server } of servers) {
    const live = await liveMatchOf(db, key, 0);
    const seen = (await unreportedMatchesOf(db, key, 0)).reverse();
    const reports = seen.map(({ seen: time, ...facts }) => ({ time, data: unreportedData(facts) }));
    for (const { time, data } of live === undefined
      ? reports
      : [...reports, { time: live.time, data: liveData(live) }]) {
      const head = { version: 1, id: `export match ${idOf(key)} ${time}`, type: 'match.progress', server } as const;
      const row = { event_id: head.id, type: head.type, aggregate: null, body: JSON.stringify(data), envelope: null };
      yield { ...head, time: new Date(time).toISOString(), data: JSON.parse(shown(row).body) as unknown } as WireEvent;
    }
  }
}

type Shown = Awaited<ReturnType<typeof pseudonymisedEvents>>;

const unreportedData = ({ map, gamemode, started }: Pick<UnreportedMatch, 'map' | 'gamemode' | 'started'>): object => {
  return { phase: 'finished', map, gamemode, started: new Date(started).toISOString() };
};

function liveData({ phase, map, gamemode, started, participants, observers, teams, objectives }: LiveMatch): object {
  return {
    ...{ phase, map, gamemode, participants, teams },
    ...(started === null ? {} : { started: new Date(started).toISOString() }),
    ...(observers === null ? {} : { observers }),
    objectives: objectives.map((objective) => ({ ...objective, time: new Date(objective.time).toISOString() })),
  };
}
