import { hash } from 'node:crypto';
import { nameKey } from '#base/text.ts';
import type { Queryable } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { type Context, Refused, scopeOf, type Taken } from './batch.ts';
import type { DataOf } from './events.ts';

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

type MapRow = Omit<GameMap, 'authors' | 'teams' | 'gamemodes' | 'has_image'> & {
  authors: string;
  teams: string;
  gamemodes: string;
  image_key: number | null;
};

const COLUMNS = sql`
  m.key, m.name, m.version, m.proto, m.objective, m.type, m.path, m.authors, m.teams, m.gamemodes, i.map_key as image_key`;
const WITH_IMAGE = sql`left join map_images i on i.map_key = m.key`;

/** Maps with keys below `before`, the newest first; of one gamemode (any case) and of one server's rotation, where given. */
export async function listMaps(
  db: Queryable,
  { before, limit, gamemode, serverKey }: { before: number; limit: number; gamemode?: string; serverKey?: number },
): Promise<GameMap[]> {
  const from = gamemode === undefined ? sql`maps m` : sql`map_gamemodes g join maps m on m.key = g.map_key`;
  const ofMode = gamemode === undefined ? sql`` : sql`and g.gamemode_key = ${nameKey(gamemode)}`;
  const ofServer = serverKey === undefined ? sql`` : inRotation(serverKey);
  const rows = await db.all<MapRow>(sql`
    select ${COLUMNS} from ${from} ${WITH_IMAGE}
    where m.key < ${before} ${ofMode} ${ofServer} order by m.key desc limit ${limit}`);
  return rows.map(mapOf);
}

function inRotation(serverKey: number): Sql {
  return sql`and exists (select 1 from rotations r where r.map_name_key = m.name_key and r.server_key = ${serverKey})`;
}

export async function mapByKey(db: Queryable, key: number): Promise<GameMap | undefined> {
  const row = await db.get<MapRow>(sql`select ${COLUMNS} from maps m ${WITH_IMAGE} where m.key = ${key}`);
  return row && mapOf(row);
}

/** A map by its exact name, else by its name in any case: the newest of several. */
export async function mapByName(db: Queryable, name: string): Promise<GameMap | undefined> {
  const exact = await db.get<MapRow>(sql`select ${COLUMNS} from maps m ${WITH_IMAGE} where m.name = ${name}`);
  if (exact !== undefined) return mapOf(exact);
  const row = await db.get<MapRow>(sql`
    select ${COLUMNS} from maps m ${WITH_IMAGE} where m.name_key = ${nameKey(name)} order by m.key desc limit 1`);
  return row && mapOf(row);
}

function mapOf({ image_key, authors, teams, gamemodes, ...row }: MapRow): GameMap {
  return {
    ...row,
    authors: JSON.parse(authors) as MapAuthor[],
    teams: JSON.parse(teams) as MapTeam[],
    gamemodes: JSON.parse(gamemodes) as string[],
    has_image: image_key !== null,
  };
}

export interface MapImage {
  content_type: string;
  hash: string;
  bytes: Uint8Array;
}

export async function imageOf(db: Queryable, mapKey: number): Promise<MapImage | undefined> {
  return await db.get<MapImage>(sql`select content_type, hash, bytes from map_images where map_key = ${mapKey}`);
}

/** Names of the servers whose rotation holds each map, by the map's name key. */
export async function rotationsOf(db: Queryable, maps: GameMap[]): Promise<Map<string, string[]>> {
  const rows = await db.all<{ map_name_key: string; name: string }>(sql`
    select distinct r.map_name_key, s.name, s.sort_order from rotations r join servers s on s.key = r.server_key
    where r.map_name_key in (${list(maps.map(({ name }) => nameKey(name)))}) order by s.sort_order, s.name`);
  return grouped(
    rows,
    ({ map_name_key }) => map_name_key,
    ({ name }) => name,
  );
}

/** How often each rating from 1 to 5 was given to a version. */
export interface MapRate {
  version: string;
  counts: [number, number, number, number, number];
}

interface RateRow {
  map_key: number;
  version: string;
  rate_1: number;
  rate_2: number;
  rate_3: number;
  rate_4: number;
  rate_5: number;
}

/** Ratings of each map by version, in the order of version numbers. */
export async function ratesOf(db: Queryable, maps: GameMap[]): Promise<Map<number, MapRate[]>> {
  const rows = await db.all<RateRow>(sql`
    select map_key, version, rate_1, rate_2, rate_3, rate_4, rate_5 from map_rates
    where map_key in (${list(maps.map(({ key }) => key))})`);
  rows.sort((a, b) => VERSIONS.compare(a.version, b.version));
  return grouped(
    rows,
    ({ map_key }) => map_key,
    ({ version, rate_1, rate_2, rate_3, rate_4, rate_5 }) => ({
      version,
      counts: [rate_1, rate_2, rate_3, rate_4, rate_5],
    }),
  );
}

const VERSIONS = new Intl.Collator('en', { numeric: true });

function grouped<T, K, V>(rows: T[], key: (row: T) => K, value: (row: T) => V): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group === undefined) groups.set(key(row), [value(row)]);
    else group.push(value(row));
  }
  return groups;
}

type Published = DataOf<'map.published'>;

/**
 * Takes a map, new or in another version. A map belongs to who published it first: other game servers may repeat it but
 * not change it; the operator may. What an older file does not say (objective, picture) never overwrites what is known.
 */
export async function applyPublished(context: Context, data: Published): Promise<Taken> {
  const { tx } = context.batch;
  const known = await tx.get<MapRow & { published: number; publisher_key: number }>(sql`
    select ${COLUMNS}, m.published, m.publisher_key from maps m ${WITH_IMAGE} where m.name = ${data.name}`);
  if (known === undefined) return await addMap(context, data);
  const next = { ...data, objective: data.objective || known.objective };
  const same = isSame(mapOf(known), next) && (await isSameImage(tx, known.key, data));
  if (same) return { note: 'known already' };
  if (context.batch.sender.kind === 'server' && known.publisher_key !== scopeOf(context)) {
    throw new Refused('data.name', 'is a map that another server or the operator published; only they can change it');
  }
  if (context.time < known.published) return { note: 'a newer version is known' };
  await updateMap(context, known.key, next);
  return undefined;
}

async function addMap(context: Context, data: Published): Promise<Taken> {
  const { key, time, batch } = context;
  await batch.tx.run(sql`
    insert into maps (key, name, name_key, version, proto, objective, type, path, authors, teams, gamemodes, publisher_key, published)
    values (${key}, ${data.name}, ${nameKey(data.name)}, ${data.version}, ${data.proto}, ${data.objective}, ${data.type},
      ${data.path}, ${JSON.stringify(data.authors)}, ${JSON.stringify(data.teams)}, ${JSON.stringify(data.gamemodes)},
      ${scopeOf(context)}, ${time})`);
  await writeParts(batch.tx, key, data);
  return undefined;
}

async function updateMap(context: Context, key: number, data: Published): Promise<void> {
  const { tx } = context.batch;
  await tx.run(sql`
    update maps set version = ${data.version}, proto = ${data.proto}, objective = ${data.objective}, type = ${data.type},
      path = ${data.path}, authors = ${JSON.stringify(data.authors)}, teams = ${JSON.stringify(data.teams)},
      gamemodes = ${JSON.stringify(data.gamemodes)}, publisher_key = ${scopeOf(context)}, published = ${context.time}
    where key = ${key}`);
  await tx.run(sql`delete from map_gamemodes where map_key = ${key}`);
  await writeParts(tx, key, data);
}

async function writeParts(tx: Queryable, key: number, { gamemodes, image }: Published): Promise<void> {
  for (const mode of new Set(gamemodes.map(nameKey))) {
    await tx.run(sql`insert into map_gamemodes (gamemode_key, map_key) values (${mode}, ${key})`);
  }
  if (image === undefined) return;
  const bytes = Buffer.from(image.data, 'base64');
  await tx.run(sql`
    insert into map_images (map_key, content_type, hash, bytes)
    values (${key}, ${image.content_type}, ${hash('sha256', bytes, 'base64url')}, ${bytes})
    on conflict (map_key) do update set
      content_type = excluded.content_type, hash = excluded.hash, bytes = excluded.bytes`);
}

function isSame(
  known: GameMap,
  { version, proto, objective, type, path, authors, teams, gamemodes }: Published,
): boolean {
  const facts = (map: Omit<GameMap, 'key' | 'name' | 'has_image'>): unknown[] => [
    map.version,
    map.proto,
    map.objective,
    map.type,
    map.path,
    map.authors,
    map.teams,
    map.gamemodes, // prettier-ignore
  ];
  return (
    JSON.stringify(facts(known)) ===
    JSON.stringify(facts({ version, proto, objective, type, path, authors, teams, gamemodes }))
  );
}

async function isSameImage(tx: Queryable, key: number, { image }: Published): Promise<boolean> {
  if (image === undefined) return true;
  const known = await tx.get<{ hash: string }>(sql`select hash from map_images where map_key = ${key}`);
  return known?.hash === hash('sha256', Buffer.from(image.data, 'base64'), 'base64url');
}

/** Whether a map stands just as the event would have it, so that publishing it would change nothing. */
export async function isPublished(db: Queryable, data: Published): Promise<boolean> {
  const known = await mapByName(db, data.name);
  if (known?.name !== data.name) return false;
  return (
    isSame(known, { ...data, objective: data.objective || known.objective }) && (await isSameImage(db, known.key, data))
  );
}

/** The names of all maps, in the order in which they became known. */
export async function mapNames(db: Queryable): Promise<string[]> {
  return (await db.all<{ name: string }>(sql`select name from maps order by key`)).map(({ name }) => name);
}

/** What a server plays in turn. */
export async function rotationOf(db: Queryable, serverKey: number): Promise<string[]> {
  const rows = await db.all<{ map_name: string }>(
    sql`select map_name from rotations where server_key = ${serverKey} order by position`,
  );
  return rows.map(({ map_name }) => map_name);
}

/** Takes what a server plays in turn, whole; one that comes late changes nothing. */
export async function applyRotation(context: Context, { maps }: DataOf<'rotation.changed'>): Promise<Taken> {
  const { tx } = context.batch;
  const { key } = context.server!;
  const changed = await tx.run(sql`
    insert into rotation_states (server_key, time) values (${key}, ${context.time})
    on conflict (server_key) do update set time = excluded.time where excluded.time >= rotation_states.time`);
  if (changed === 0) return { note: 'a newer rotation is known' };
  await tx.run(sql`delete from rotations where server_key = ${key}`);
  await tx.runAll(
    maps.map(
      (name, position) => sql`
      insert into rotations (server_key, position, map_name, map_name_key) values (${key}, ${position}, ${name}, ${nameKey(name)})`,
    ),
  );
  return undefined;
}

/** Takes a player's rating of a map version in place of an earlier one of the same player. */
export async function applyRated(context: Context, data: DataOf<'map.rated'>): Promise<Taken> {
  const { batch, time } = context;
  const map = await mapByName(batch.tx, data.map);
  if (map === undefined) throw new Refused('data.map', 'names no map that is published');
  const version = data.version ?? map.version;
  await batch.players.load([data.player.uuid]);
  const player = batch.players.see(data.player, time, () => batch.keys.following());
  await batch.flush();
  const vote = { mapKey: map.key, version, playerKey: player.key, rate: data.rate, time, serverKey: scopeOf(context) };
  const before = await batch.tx.get<{ rate: number; time: number }>(sql`
    select rate, time from map_votes where map_key = ${map.key} and version = ${version} and player_key = ${player.key}`);
  if (before !== undefined && before.time > time) return { note: 'a newer rating of this player is known' };
  await writeVote(batch.tx, vote);
  if (before !== undefined) await countVote(batch.tx, { ...vote, rate: before.rate }, -1);
  await countVote(batch.tx, vote, 1);
  return undefined;
}

interface Vote {
  mapKey: number;
  version: string;
  playerKey: number;
  rate: number;
  time: number;
  serverKey: number;
}

async function writeVote(tx: Queryable, vote: Vote): Promise<void> {
  await tx.run(sql`
    insert into map_votes (map_key, version, player_key, rate, time, server_key)
    values (${vote.mapKey}, ${vote.version}, ${vote.playerKey}, ${vote.rate}, ${vote.time}, ${vote.serverKey})
    on conflict (map_key, version, player_key) do update set
      rate = excluded.rate, time = excluded.time, server_key = excluded.server_key`);
}

/** Adds a vote to the sums of its map version, or takes it out of them. */
export async function countVote(
  tx: Queryable,
  { mapKey, version, rate }: Omit<Vote, 'playerKey' | 'time' | 'serverKey'>,
  by: 1 | -1,
): Promise<void> {
  const counts = [1, 2, 3, 4, 5].map((value) => (value === rate ? by : 0)) as [number, number, number, number, number];
  await tx.run(sql`
    insert into map_rates (map_key, version, rate_1, rate_2, rate_3, rate_4, rate_5)
    values (${mapKey}, ${version}, ${counts[0]}, ${counts[1]}, ${counts[2]}, ${counts[3]}, ${counts[4]})
    on conflict (map_key, version) do update set
      rate_1 = map_rates.rate_1 + excluded.rate_1, rate_2 = map_rates.rate_2 + excluded.rate_2,
      rate_3 = map_rates.rate_3 + excluded.rate_3, rate_4 = map_rates.rate_4 + excluded.rate_4,
      rate_5 = map_rates.rate_5 + excluded.rate_5`);
}
