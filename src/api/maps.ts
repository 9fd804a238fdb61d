import { z } from 'zod';
import { idOf, keyOf } from '#platform/ids.ts';
import { type HttpError, invalidRequest, notFound } from '#http/errors.ts';
import { nameKey } from '#text/text.ts';
import {
  type GameMap,
  listMaps,
  mapByKey,
  mapByName,
  mapsByKeys,
  type MapRate,
  positionsIn,
  ratesOf,
  readRotations,
} from '#store/game/maps/maps.ts';
import { serverByKey, serverByName, type ServerNow, serversPlaying } from '#store/game/servers.ts';
import type { Queryable } from '#db/db.ts';
import { type Endpoint, endpoint, fieldsOf, filter, flag, type Deps, paging, presenceSince } from './endpoint.ts';
import { count, id, link } from './schemas.ts';

const Rate = z
  .object({
    version: z.string(),
    total: count.meta({ description: 'Number of ratings' }),
    rate: z.number().meta({ description: 'Average' }),
    rates: z.object({ 1: count, 2: count, 3: count, 4: count, 5: count }),
  })
  .meta({ id: 'Rate' });

const PlayingServer = z
  .object({ id, name: z.string(), region: z.string(), current_map: z.string(), next_map: z.string() })
  .meta({ id: 'PlayingServer' });

export const GameMapShape = z
  .object({
    id,
    name: z.string(),
    version: z.string(),
    proto: z.string(),
    authors: z.array(z.object({ name: z.string(), uuid: z.string(), contribution: z.string() })),
    objective: z.string(),
    teams: z.array(z.object({ name: z.string(), max: count, color: z.string() })),
    gamemodes: z.array(z.string()),
    type: z.string(),
    rotations: z
      .array(z.string())
      .optional()
      .meta({ description: 'Names of the servers with the map in their rotation' }),
    path: z.string(),
    has_image: z.boolean(),
    rates: z.array(Rate).optional(),
    servers: z
      .array(PlayingServer)
      .optional()
      .meta({ description: 'Servers currently playing the map; only with `playing=1`' }),
    permalink_url: link,
    image_url: z.string().optional().meta({
      description:
        'With `fields=image_url`: address of the image, which pages of every origin may read; empty if there is none',
    }),
    rotation_order: z
      .array(z.int().min(1))
      .optional()
      .meta({ description: 'With `rotation` and `fields=rotation_order`: places of the map in that rotation, from 1' }),
  })
  .meta({ id: 'Map' });

type Wire = z.input<typeof GameMapShape>;

export const maps: Endpoint[] = [
  endpoint({
    path: '/v1/maps',
    tag: 'Map',
    summary: 'Maps, newest first',
    query: {
      playing: flag('1 adds servers, rotations and rates to each item; the list holds the same maps either way'),
      search: filter('Only maps with a word in their name that begins with this text, ignoring case'),
      gamemode: filter('Only maps of this gamemode, ignoring case'),
      rotation: filter("Only maps in this server's rotation: a server id or name"),
      fields: fieldsOf(['image_url', 'rotation_order']),
      ...paging,
    },
    response: z.array(GameMapShape),
    handle: async ({ deps, query: { playing, search, gamemode, rotation, fields, max_id, limit } }) => {
      if (rotation === undefined && fields.has('rotation_order')) throw rotationMissing();
      const serverKey = rotation === undefined ? undefined : await findServer(deps, rotation);
      if (rotation !== undefined && serverKey === undefined) return [];
      const found = await listMaps(deps.db, { before: max_id, limit, search, gamemode, serverKey });
      const items = playing ? await withPlaying(deps, found) : found.map((map) => wire(deps, map));
      return await withFields(deps, found, items, fields, serverKey);
    },
  }),
  endpoint({
    path: '/v1/maps/:id',
    tag: 'Map',
    summary: 'One map with its ratings and rotations',
    id: 'A map id or a map name',
    query: { fields: fieldsOf(['image_url']) },
    response: GameMapShape,
    handle: async ({ deps, id: text, query: { fields } }) => {
      const map = await findMap(deps.db, text);
      if (map === undefined) throw notFound('There is no map with this id or name.');
      return (await withFields(deps, [map], await withRates(deps, [map]), fields))[0]!;
    },
  }),
];

const rotationMissing = (): HttpError =>
  invalidRequest('fields must not hold rotation_order without the parameter rotation, which names a server.');

/** Adds the requested fields to the items of the maps. */
async function withFields(
  { db, site }: Deps,
  found: GameMap[],
  items: Wire[],
  fields: ReadonlySet<'image_url' | 'rotation_order'>,
  serverKey?: number,
): Promise<Wire[]> {
  if (fields.size === 0) return items;
  const hasOrder = serverKey !== undefined && fields.has('rotation_order');
  const positions = hasOrder ? await positionsIn(db, serverKey, found) : undefined;
  return items.map((item) => ({
    ...item,
    ...(fields.has('image_url') && { image_url: item.has_image ? `${site}/maps/${item.id}/image` : '' }),
    ...(positions && { rotation_order: positions.get(nameKey(item.name)) ?? [] }),
  }));
}

/** Maps as JSON, as `/v1/maps/:id` gives them, by key. */
export async function mapsJson(deps: Deps, keys: readonly number[]): Promise<Map<number, string>> {
  const found = await mapsByKeys(deps.db, keys);
  const items = await withRates(deps, found);
  return new Map(found.map(({ key }, index) => [key, JSON.stringify(items[index])]));
}

async function findMap(db: Queryable, text: string): Promise<GameMap | undefined> {
  const key = keyOf(text);
  return (key === undefined ? undefined : await mapByKey(db, key)) ?? (await mapByName(db, text));
}

async function findServer(deps: Deps, text: string): Promise<number | undefined> {
  for (const key of [keyOf(text.toLowerCase()), (await serverByName(deps.db, text))?.key]) {
    if (key !== undefined && (await serverByKey(deps.db, key, 0)) !== undefined) return key;
  }
  return undefined;
}

async function withPlaying(deps: Deps, found: GameMap[]): Promise<Wire[]> {
  const names = found.map(({ name }) => name);
  const playing = Map.groupBy(await serversPlaying(deps.db, names, presenceSince(deps)), ({ map_key }) => map_key);
  const items = await withRates(deps, found);
  return items.map(({ permalink_url, ...item }, index) => {
    return { ...item, servers: (playing.get(found[index]!.key) ?? []).map(playingWire), permalink_url };
  });
}

async function withRates(deps: Deps, found: GameMap[]): Promise<Wire[]> {
  const [rates, rotations] = await Promise.all([ratesOf(deps.db, found), readRotations(deps.db, found)]);
  return found.map((map) =>
    wire(deps, map, {
      rotations: rotations.get(nameKey(map.name)) ?? [],
      rates: (rates.get(map.key) ?? []).map(rateWire),
    }),
  );
}

function wire({ site }: Deps, map: GameMap, { rotations, rates }: Pick<Wire, 'rotations' | 'rates'> = {}): Wire {
  const { name, version, proto, authors, objective, teams, gamemodes, type, path, has_image } = map;
  const mapId = idOf(map.key);
  return {
    ...{ id: mapId, name, version, proto, authors, objective, teams, gamemodes, type },
    ...{ rotations, path, has_image, rates },
    permalink_url: `${site}/maps/${mapId}`,
  };
}

function rateWire({ version, counts }: MapRate): z.input<typeof Rate> {
  const total = counts.reduce((sum, votes) => sum + votes, 0);
  const points = counts.reduce((sum, votes, index) => sum + votes * (index + 1), 0);
  const [one, two, three, four, five] = counts;
  const rates = { 1: one, 2: two, 3: three, 4: four, 5: five };
  return { version, total, rate: total === 0 ? 0 : points / total, rates };
}

function playingWire({ key, name, region, current_map, next_map }: ServerNow): z.input<typeof PlayingServer> {
  return { id: idOf(key), name, region, current_map, next_map };
}
