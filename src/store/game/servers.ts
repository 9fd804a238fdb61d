import { nameKey } from '#text/text.ts';
import type { Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';

export interface Server {
  key: number;
  name: string;
}

/** The punishments that a server may change: all of the network, or those that it issued. */
export const PUNISHMENT_SCOPES = ['network', 'own'] as const;
export type PunishmentScope = (typeof PUNISHMENT_SCOPES)[number];

/** A server with its present state. A server without recent heartbeats is empty: no players, no map. */
export interface ServerNow extends Server {
  region: string;
  icon: string;
  order: number;
  /** When its newest heartbeat was received; null before the first. */
  heartbeat: number | null;
  /** Whether that heartbeat is recent. */
  online: boolean;
  max: number;
  punishments: PunishmentScope;
  playing: number;
  /** The number of connected players, of whom `players` may name only some. */
  playerCount: number;
  players: string[];
  gamemode: string;
  current_map: string;
  next_map: string;
}

type ServerRow = Omit<ServerNow, 'order' | 'heartbeat' | 'online' | 'playerCount' | 'players'> & {
  sort_order: number;
  received: number | null;
  player_count: number;
  players: string;
};

const SELECT = sql`
  select s.key, s.name, s.region, s.icon, s.sort_order, s.max, s.punishments, p.received, p.playing, p.player_count,
    p.players, p.gamemode, p.current_map, p.next_map
  from servers s left join presence p on p.server_key = s.key`;

/** Sorts by `order`, then by name; in JavaScript, because each database sorts text by its own collation. */
export function byOrder(a: Pick<ServerRow, 'sort_order' | 'name'>, b: Pick<ServerRow, 'sort_order' | 'name'>): number {
  return a.sort_order - b.sort_order || (a.name < b.name ? -1 : 1);
}

/** Every server by `order`, then name. `since`: epoch milliseconds; heartbeats received earlier do not count. */
export async function listServers(db: Queryable, since: number): Promise<ServerNow[]> {
  const rows = await db.all<ServerRow>(sql`${SELECT} where s.removed is null`);
  return rows.sort(byOrder).map((row) => serverNow(row, since));
}

export async function serverByKey(db: Queryable, key: number, since: number): Promise<ServerNow | undefined> {
  const row = await db.get<ServerRow>(sql`${SELECT} where s.key = ${key} and s.removed is null`);
  return row && serverNow(row, since);
}

export async function serversByKeys(db: Queryable, keys: readonly number[], since: number): Promise<ServerNow[]> {
  const rows = await db.all<ServerRow>(sql`${SELECT} where s.key in (${list(keys)}) and s.removed is null`);
  return rows.map((row) => serverNow(row, since));
}

/** The number of players on the whole network. */
export async function countOnline(db: Queryable, since: number): Promise<number> {
  const row = await db.get<{ count: number }>(
    sql`
      select coalesce(sum(p.player_count), 0) as count from presence p join servers s on s.key = p.server_key
      where p.received >= ${since} and s.removed is null`,
  );
  return row!.count;
}

/**
 * The servers that play one of the maps, each with the key of its map: the one with exactly the reported name, else the
 * newest with this name in any case.
 */
export async function serversPlaying(
  db: Queryable,
  mapNames: readonly string[],
  since: number,
): Promise<(ServerNow & { map_key: number })[]> {
  const rows = await db.all<ServerRow & { map_key: number }>(sql`
    select s.key, s.name, s.region, s.icon, s.sort_order, s.max, s.punishments, p.received, p.playing,
      p.player_count, p.players, p.gamemode, p.current_map, p.next_map, coalesce(
        (select m.key from maps m where m.name = p.current_map),
        (select max(m.key) from maps m where m.name_key = p.current_map_key)) as map_key
    from presence p join servers s on s.key = p.server_key
    where p.current_map_key in (${list([...new Set(mapNames.map(nameKey))])}) and p.received >= ${since}
      and s.removed is null`);
  return rows.sort(byOrder).map((row) => ({ ...serverNow(row, since), map_key: row.map_key }));
}

function serverNow(
  { sort_order: order, received: heartbeat, player_count: playerCount, players, ...row }: ServerRow,
  since: number,
): ServerNow {
  const online = heartbeat !== null && heartbeat >= since;
  const present = online ? { playerCount, players: JSON.parse(players) as string[] } : NOBODY;
  return { ...row, order, heartbeat, online, ...present };
}

const NOBODY = { playing: 0, playerCount: 0, players: [], gamemode: '', current_map: '', next_map: '' };

/** A server by its name in any case. Includes removed servers, because configuring one again restores it. */
export const serverByName = (db: Queryable, name: string): Promise<Server | undefined> =>
  db.get(sql`select key, name from servers where name_key = ${nameKey(name)}`);
