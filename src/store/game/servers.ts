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

type ServerRow = Omit<ServerNow, 'online' | 'players'> & { players: string };

const COLUMNS = sql`
  s.key, s.name, s.region, s.icon, s.max, s.punishments, p.playing, p.gamemode, p.current_map, p.next_map,
  s.sort_order as "order", p.received as heartbeat, p.player_count as "playerCount", p.players`;
const SELECT = sql`select ${COLUMNS} from servers s left join presence p on p.server_key = s.key`;

/** Sorts by `order`, then by name; in JavaScript, because each database sorts text by its own collation. */
export const byOrder = (a: Pick<ServerNow, 'order' | 'name'>, b: Pick<ServerNow, 'order' | 'name'>): number =>
  a.order - b.order || (a.name < b.name ? -1 : 1);

/** Every server by `order`, then name. `since`: epoch milliseconds; heartbeats received earlier do not count. */
export async function listServers(db: Queryable, since: number): Promise<ServerNow[]> {
  const rows = await db.all<ServerRow>(sql`${SELECT} where s.removed is null`);
  return rows.sort(byOrder).map((row) => serverNow(row, since));
}

/** Every server by `order`, then name, without its present state. */
export async function listServerNames(db: Queryable): Promise<Server[]> {
  const rows = await db.all<Pick<ServerNow, 'key' | 'name' | 'order'>>(sql`
    select key, name, sort_order as "order" from servers where removed is null`);
  return rows.sort(byOrder);
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
  const [count] = (await db.tuple(sql`
    select coalesce(sum(p.player_count), 0) from presence p join servers s on s.key = p.server_key
    where p.received >= ${since} and s.removed is null`)) as [number];
  return count;
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
    select ${COLUMNS}, coalesce(
        (select m.key from maps m where m.name = p.current_map),
        (select max(m.key) from maps m where m.name_key = p.current_map_key)) as map_key
    from presence p join servers s on s.key = p.server_key
    where p.current_map_key in (${list([...new Set(mapNames.map(nameKey))])}) and p.received >= ${since}
      and s.removed is null`);
  return rows.sort(byOrder).map((row) => serverNow(row, since));
}

function serverNow<R extends ServerRow>({ players, ...row }: R, since: number): Omit<R, 'players'> & ServerNow {
  const online = row.heartbeat !== null && row.heartbeat >= since;
  return { ...row, ...(online ? { players: JSON.parse(players) as string[] } : NOBODY), online };
}

const NOBODY = { playing: 0, playerCount: 0, players: [], gamemode: '', current_map: '', next_map: '' };

/** A server by its name in any case. Includes removed servers, because configuring one again restores it. */
export const serverByName = (db: Queryable, name: string): Promise<Server | undefined> =>
  db.get(sql`select key, name from servers where name_key = ${nameKey(name)}`);
