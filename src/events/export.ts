import { idOf } from '#platform/ids.ts';
import type { Db, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type EventName, type WireEvent, typeOf } from './schema/index.ts';
import { firstObservation, isUnnamed } from '#store/game/player-names.ts';
import { hasPseudonym } from '#store/game/players.ts';
import { pseudonymisedEvents, type NamingColumns } from './ledger/pseudonyms.ts';
import type { Completion } from './handlers/event-effect.ts';
import { effectOf } from './handlers/index.ts';
import { parseEnvelope, LEDGER, type LedgerRow, typeInLedger, parseStoredEvents } from './ledger/ledger-rows.ts';
import { type LiveMatch, liveMatchOf, unreportedMatchesOf } from '#store/game/live-matches.ts';
import type { Server } from '#store/game/servers.ts';
import { uuidOf } from '#text/text.ts';

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
    const from = server === null ? {} : { server };
    const rest = { ...from, receipt: idOf(key), data, ...parseEnvelope(row.envelope) };
    return wireEvent(id, typeInLedger(row.type), time, rest);
  };
}

const wireEvent = (id: string, type: EventName, time: number, rest: object): WireEvent =>
  ({ version: 1, id, type, time: new Date(time).toISOString(), ...rest }) as WireEvent;

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

async function serverSubstitutes(db: Queryable): Promise<Substitute[]> {
  const rows = await db.all<Server>(sql`
    select s.key, s.name, s.region, s.sort_order as "order", s.icon, s.max, s.punishments from servers s
    where not exists (select 1 from ledger l where l.key = s.key - 1 and l.scope_key = s.key and l.withdrawn is null)`);
  return rows.map(({ key, name: server, ...data }) => {
    const rest = { server, receipt: idOf(key - 1), data };
    return { key: key - 1, event: wireEvent(`export server ${idOf(key)}`, 'server.configured', 0, rest) };
  });
}

async function playerSubstitutes(db: Queryable, players: readonly Holder[]): Promise<Substitute[]> {
  const substitutes: Substitute[] = [];
  for (const { key, uuid, player_key, name: present } of players) {
    const observed = await firstObservation(db, player_key);
    const name = hasPseudonym({ uuid, name: present }) ? present : observed.name;
    const player = isUnnamed(name) ? { uuid } : { uuid, name };
    const rest = { receipt: idOf(key), data: { player } };
    substitutes.push({ key, event: wireEvent(`export player ${idOf(key)}`, 'player.known', observed.first, rest) });
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
    const data = { player: { uuid }, hash, until: new Date(until).toISOString() };
    yield wireEvent(`export removed name ${idOf(player_key)} ${hash}`, 'player.name_removed', until, { data });
  }
}

type PresenceRow = Record<'event_id' | 'players' | 'server', string> & Record<'received' | 'player_count', number>;

async function* presences(db: Queryable): AsyncGenerator<WireEvent> {
  const rows = await db.all<PresenceRow>(sql`
    select p.event_id, p.received, p.players, p.player_count, s.name as server,
      p.playing as "current", p.gamemode, p.current_map, p.next_map
    from presence p join servers s on s.key = p.server_key where s.removed is null order by s.key`);
  for (const { event_id, received, players: names, player_count, server, ...rest } of rows) {
    const players = JSON.parse(names) as string[];
    const data = { ...rest, players, ...(player_count === players.length ? {} : { player_count }) };
    yield wireEvent(event_id, 'server.presence', received, { server, data });
  }
}

/** The matches without a result of each server, oldest first; its running match last. */
async function* runningMatches(db: Queryable, shown: Shown): AsyncGenerator<WireEvent> {
  const type = 'match.progress';
  const servers = await db.all<Server>(sql`select key, name from servers where removed is null order by key`);
  for (const { key, name: server } of servers) {
    const live = await liveMatchOf(db, key, 0);
    const seen = (await unreportedMatchesOf(db, key, 0)).reverse();
    const reports = seen.map(({ seen: time, map, gamemode, started }): { time: number; data: object } => ({
      time,
      data: { phase: 'finished', map, gamemode, started: new Date(started).toISOString() },
    }));
    if (live !== undefined) reports.push({ time: live.time, data: liveData(live) });
    for (const { time, data } of reports) {
      const id = `export match ${idOf(key)} ${time}`;
      const row = { event_id: id, type, aggregate: null, body: JSON.stringify(data), envelope: null } as const;
      yield wireEvent(id, type, time, { server, data: JSON.parse(shown(row).body) as unknown });
    }
  }
}

type Shown = Awaited<ReturnType<typeof pseudonymisedEvents>>;

function liveData({ phase, map, gamemode, started, participants, observers, teams, objectives }: LiveMatch): object {
  return {
    ...{ phase, map, gamemode, participants, teams },
    ...(started === null ? {} : { started: new Date(started).toISOString() }),
    ...(observers === null ? {} : { observers }),
    objectives: objectives.map((objective) => ({ ...objective, time: new Date(objective.time).toISOString() })),
  };
}

/** A player, or a merged one with the key that it had before the merge. */
interface Holder {
  key: number;
  uuid: string;
  /** The key and name of the player who has its records. */
  player_key: number;
  name: string;
}

interface HolderRow extends Holder {
  /** The key of the event that may have added it: the last one before its own key. */
  adding: number | null;
  merged: number;
}

const HOLDERS = sql`
  select b.*, (select max(k.key) from ledger k where k.key <= b.key) as adding from (
    select a.key, a.uuid, p.key as player_key, p.name, 1 as merged
    from player_aliases a join players p on p.uuid = a.into_uuid where a.key is not null
    union all
    select p.key, p.uuid, p.key, p.name,
      case when exists (select 1 from player_aliases a where a.into_uuid = p.uuid) then 1 else 0 end
    from players p where not exists (select 1 from player_aliases a where a.into_uuid = p.uuid and a.key = p.key)) b`;

/** Whether the event with the key `h.adding` is in force and observed the player. */
const IS_OBSERVED = sql`
  exists (select 1 from ledger l where l.key = h.adding and l.withdrawn is null) and (
    exists (select 1 from name_observations o where o.player_key = h.player_key and o.ledger_key = h.adding)
    or exists (select 1 from player_sessions s where s.player_key = h.player_key and s.ledger_key = h.adding)
    or exists (select 1 from player_matches m where m.player_key = h.player_key and m.match_key = h.adding))`;

/**
 * The players whose keys an import would not derive from the key of the first event that names them: the event that added
 * the player was withdrawn or names another one since, or the player was added by the link of an erased game account, which
 * got punishments back that are older than its player.
 * @returns `missing`: those to add by their own events; `newer`: the keys of players by the older event that names them first
 */
async function displacedPlayers(
  db: Queryable,
  shown: Shown,
): Promise<{ missing: Holder[]; newer: ReadonlyMap<number, number> }> {
  const missing = await db.all<HolderRow>(sql`select h.* from (${HOLDERS}) h where not (${IS_OBSERVED})`);
  // Records of merged players are the survivor's, so that the event may have observed another of them.
  const merged = await db.all<HolderRow>(sql`select h.* from (${HOLDERS}) h where h.merged = 1 and ${IS_OBSERVED}`);
  for (const holder of merged) if (!(await isNamed(db, holder))) missing.push(holder);
  const returned = await returnedPlayers(db, shown);
  const known = new Set(missing.map(({ key }) => key));
  // Their own events let the sequence of keys reach theirs.
  missing.push(...returned.values().filter(({ key, adding }) => adding !== key && !known.has(key)));
  return { missing, newer: new Map([...returned.values()].map(({ key, event }) => [event, key])) };
}

/** Whether the event that may have added a merged player names it, or a UUID that had no player when it was merged. */
async function isNamed(db: Queryable, { adding, uuid, player_key }: HolderRow): Promise<boolean> {
  const rows = await db.all<LedgerRow>(sql`${LEDGER} where l.key = ${adding}`);
  const others = await db.tuples(sql`
    select a.uuid from player_aliases a join players p on p.uuid = a.into_uuid where p.key = ${player_key} and a.key is null`);
  const uuids = new Set([uuid, ...others.map(([other]) => other as string)]);
  return (await parseStoredEvents(db, rows)).some(({ event: { type, data } }) =>
    typeOf(type)
      .players(data)
      .some((named) => uuids.has(named)),
  );
}

type ReturnedRow = HolderRow & NamingColumns & { event: number; type: EventName };

/**
 * The players whose keys do not follow that of the first punishment that names them, or of the server that it added, with
 * that punishment, by key.
 */
async function returnedPlayers(db: Queryable, shown: Shown): Promise<ReadonlyMap<number, ReturnedRow>> {
  const rows = await db.all<ReturnedRow>(sql`
    select h.*, u.key as event, l.type, l.event_id, l.aggregate, l.body, l.envelope from (${HOLDERS}) h join punishments u on u.punished_key = h.player_key
      join ledger l on l.key = u.key left join servers s on s.key = u.key + 1
    where u.key <= h.adding and h.key <> u.key + case when s.key is null then 1 else 2 end order by u.key desc`);
  const named = rows.filter((row) => {
    const { punished } = JSON.parse(shown(row).body) as { punished: { uuid: string } };
    return uuidOf(punished.uuid) === row.uuid;
  });
  return new Map(named.map((row) => [row.key, row]));
}
