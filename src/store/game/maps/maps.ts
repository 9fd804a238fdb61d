import type { UploadedImage } from '#platform/uploaded-image.ts';
import { nameKey } from '#text/text.ts';
import { allAs, columnOf, flag, getAs, getValue, json, type Queryable, rowReader } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { mapsByWord } from '../../search-terms.ts';
import { byOrder } from '../servers.ts';

export interface MapAuthor {
  name: string;
  uuid: string;
  contribution: string;
}

export interface MapTeam {
  name: string;
  max: number;
  color: string;
}

export interface GameMap {
  key: number;
  name: string;
  version: string;
  proto: string;
  objective: string;
  type: string;
  path: string;
  authors: MapAuthor[];
  teams: MapTeam[];
  gamemodes: string[];
  has_image: boolean;
}

export const COLUMNS = sql`
  m.key, m.name, m.version, m.proto, m.objective, m.type, m.path, m.authors, m.teams, m.gamemodes,
  case when i.map_key is null then 0 else 1 end as has_image`;
export const WITH_IMAGE = sql`left join map_images i on i.map_key = m.key`;
export const MAP_COLUMNS = { authors: json, teams: json, gamemodes: json, has_image: flag };
const toGameMap = rowReader<GameMap>(MAP_COLUMNS);

interface MapQuery {
  before: number;
  limit: number;
  /** The beginning of a word of the name. */
  search?: string | undefined;
  gamemode?: string | undefined;
  serverKey?: number | undefined;
}

/** Maps with keys below `before`, newest first, filtered by name and gamemode (in any case) and by a server's rotation. */
export async function listMaps(
  db: Queryable,
  { before, limit, search, gamemode, serverKey }: MapQuery,
): Promise<GameMap[]> {
  const from = gamemode === undefined ? sql`maps m` : sql`map_gamemodes g join maps m on m.key = g.map_key`;
  const ofMode = gamemode === undefined ? sql`` : sql`and g.gamemode_key = ${nameKey(gamemode)}`;
  const ofServer = serverKey === undefined ? sql`` : inRotation(serverKey);
  const named = search === undefined ? sql`` : sql`and m.key in (${mapsByWord(search)})`;
  const rows = await db.all(sql`
    select ${COLUMNS} from ${from} ${WITH_IMAGE}
    where m.key < ${before} ${named} ${ofMode} ${ofServer} order by m.key desc limit ${limit}`);
  return rows.map(toGameMap);
}

export function inRotation(serverKey: number): Sql {
  return sql`and exists (select 1 from rotations q where q.map_name_key = m.name_key and q.server_key = ${serverKey})`;
}

export const mapByKey = (db: Queryable, key: number): Promise<GameMap | undefined> =>
  getAs(db, sql`select ${COLUMNS} from maps m ${WITH_IMAGE} where m.key = ${key}`, toGameMap);

export const mapsByKeys = (db: Queryable, keys: readonly number[]): Promise<GameMap[]> =>
  allAs(db, sql`select ${COLUMNS} from maps m ${WITH_IMAGE} where m.key in (${list(keys)})`, toGameMap);

/** A map by its exact name, else the newest one with this name in any case. */
export async function mapByName(db: Queryable, name: string): Promise<GameMap | undefined> {
  const exact = await mapByExactName(db, name);
  if (exact !== undefined) return exact;
  const newest = sql`
    select ${COLUMNS} from maps m ${WITH_IMAGE} where m.name_key = ${nameKey(name)} order by m.key desc limit 1`;
  return await getAs(db, newest, toGameMap);
}

/** The gamemodes of maps by their names, by the name key; of several maps with one name those of the newest. */
export async function gamemodesOfMaps(db: Queryable, names: readonly string[]): Promise<Map<string, string[]>> {
  const keys = [...new Set(names.map(nameKey))];
  if (keys.length === 0) return new Map();
  const rows = await db.all<{ name_key: string; gamemodes: string }>(
    sql`select name_key, gamemodes from maps where name_key in (${list(keys)}) order by key`,
  );
  return new Map(rows.map((row) => [row.name_key, JSON.parse(row.gamemodes) as string[]]));
}

/** The data of a map that pages show wherever they mention it. */
export interface MapSummary {
  key: number;
  name: string;
  /** The hash of its image; null if it has none. */
  image: string | null;
  teams: MapTeam[];
}

/** The summaries of maps that pages mention by name. */
class MapSummaries {
  readonly #byName = new Map<string, MapSummary>();
  readonly #byNameKey = new Map<string, MapSummary>();

  /** @param summaries in the order of their keys */
  constructor(summaries: readonly MapSummary[]) {
    for (const summary of summaries) {
      this.#byName.set(summary.name, summary);
      this.#byNameKey.set(nameKey(summary.name), summary);
    }
  }

  /** The map with exactly this name, else the newest with this name in any case; undefined if there is none. */
  of(name: string): MapSummary | undefined {
    return this.#byName.get(name) ?? this.#byNameKey.get(nameKey(name));
  }
}

/** The summaries of the maps with one of these names, in any case. */
export async function mapSummaries(db: Queryable, names: readonly string[]): Promise<MapSummaries> {
  const keys = [...new Set(names.filter((name) => name !== '').map(nameKey))];
  if (keys.length === 0) return new MapSummaries([]);
  const rows = await db.all(sql`
    select m.key, m.name, m.teams, i.hash as image from maps m left join map_images i on i.map_key = m.key
    where m.name_key in (${list(keys)}) order by m.key`);
  return new MapSummaries(rows.map(rowReader<MapSummary>({ teams: json })));
}

/** The names of all maps, in the order of their first publication. */
export const mapNames = async (db: Queryable): Promise<string[]> =>
  (await db.all<{ name: string }>(sql`select name from maps order by key`)).map(({ name }) => name);

export const newestMap = (db: Queryable): Promise<number | undefined> =>
  getValue(db, sql`select key from maps order by key desc limit 1`);

/** The names of the maps in a server's rotation, in order. */
export const rotationOf = (db: Queryable, serverKey: number): Promise<string[]> =>
  columnOf(db, sql`select map_name from rotations where server_key = ${serverKey} order by position`);

export const mapByExactName = (db: Queryable, name: string): Promise<GameMap | undefined> =>
  getAs(db, sql`select ${COLUMNS} from maps m ${WITH_IMAGE} where m.name = ${name}`, toGameMap);

export const imageOf = (db: Queryable, mapKey: number): Promise<UploadedImage | undefined> =>
  db.get(sql`
    select p.content_type, p.hash, p.bytes from map_images i join pictures p on p.hash = i.hash
    where i.map_key = ${mapKey}`);

/** The names of the servers that have each map in their rotation, by the map's name key. */
export async function readRotations(db: Queryable, maps: GameMap[]): Promise<Map<string, string[]>> {
  const rows = await db.all<{ map_name_key: string; name: string; order: number }>(sql`
    select distinct r.map_name_key, s.name, s.sort_order as "order" from rotations r join servers s on s.key = r.server_key
    where r.map_name_key in (${list(maps.map(({ name }) => nameKey(name)))}) and s.removed is null`);
  return grouped(
    rows.sort(byOrder),
    ({ map_name_key }) => map_name_key,
    ({ name }) => name,
  );
}

/** The places of each map in a server's rotation, from 1, by the map's name key. */
export async function positionsIn(db: Queryable, serverKey: number, maps: GameMap[]): Promise<Map<string, number[]>> {
  const rows = await db.all<{ map_name_key: string; position: number }>(sql`
    select map_name_key, position from rotations
    where server_key = ${serverKey} and map_name_key in (${list(maps.map(({ name }) => nameKey(name)))})`);
  return grouped(
    rows.sort((a, b) => a.position - b.position),
    ({ map_name_key }) => map_name_key,
    ({ position }) => position + 1,
  );
}

/** The number of votes for each rating from 1 to 5 of one map version. */
export interface MapRate {
  version: string;
  counts: [number, number, number, number, number];
}

type RateRow = [map: number, version: string, ...counts: MapRate['counts']];

/** The ratings of each map by its key, in the order of version numbers (1.9 before 1.10). */
export async function ratesOf(db: Queryable, maps: GameMap[]): Promise<Map<number, MapRate[]>> {
  const rows = (await db.tuples(sql`
    select map_key, version, rate_1, rate_2, rate_3, rate_4, rate_5 from map_rates
    where map_key in (${list(maps.map(({ key }) => key))})`)) as RateRow[];
  rows.sort(([, a], [, b]) => VERSIONS.compare(a, b));
  return grouped(
    rows,
    ([map]) => map,
    ([, version, ...counts]) => ({ version, counts }),
  );
}

const VERSIONS = new Intl.Collator('en', { numeric: true });

function grouped<T, K, V>(rows: T[], key: (row: T) => K, value: (row: T) => V): Map<K, V[]> {
  return new Map(
    Map.groupBy(rows, key)
      .entries()
      .map(([name, own]) => [name, own.map(value)]),
  );
}
