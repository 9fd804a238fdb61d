import { z } from 'zod';
import { idOf, keyOf } from '#platform/ids.ts';
import { notFound } from '#http/errors.ts';
import { countOnline, listServers, serverByKey, serversByKeys, type ServerNow } from '#store/game/servers.ts';
import { type Deps, type Endpoint, endpoint, presenceSince } from './endpoint.ts';
import { count, id } from './schemas.ts';

export const ServerShape = z
  .object({
    id,
    name: z.string(),
    region: z.string(),
    current: count.meta({ description: 'Players taking part in the current game' }),
    max: count.meta({ description: 'Capacity; 0 for a lobby' }),
    icon: z.string(),
    order: z.int(),
    current_map: z.string(),
    next_map: z.string(),
    player_count: count.meta({ description: 'Players connected' }),
    players: z.array(z.string()),
  })
  .meta({ id: 'Server' });

const OnlineCount = z.object({ count }).meta({ id: 'OnlineCount' });

export const servers: Endpoint[] = [
  endpoint({
    path: '/v1/servers',
    tag: 'Server',
    summary: 'All servers, sorted by order, then name',
    query: {},
    response: z.array(ServerShape),
    handle: async ({ deps }) => (await listServers(deps.db, presenceSince(deps))).map(wire),
  }),
  endpoint({
    path: '/v1/servers/online',
    tag: 'Server',
    summary: 'Number of players connected to the network',
    query: {},
    response: OnlineCount,
    handle: async ({ deps }) => ({ count: await countOnline(deps.db, presenceSince(deps)) }),
  }),
  endpoint({
    path: '/v1/servers/:id',
    tag: 'Server',
    summary: 'One server',
    id: 'A server id',
    query: {},
    response: ServerShape,
    handle: async ({ deps, id: text }) => wire(await requiredServer(deps, text)),
  }),
];

/**
 * The server with an id.
 * @throws HttpError 404
 */
export async function requiredServer(deps: Deps, text: string): Promise<ServerNow> {
  const key = keyOf(text);
  const server = key === undefined ? undefined : await serverByKey(deps.db, key, presenceSince(deps));
  if (server === undefined) throw notFound('There is no server with this id.');
  return server;
}

/** Servers as JSON, as `/v1/servers/:id` gives them, by key. */
export async function serversJson(deps: Deps, keys: readonly number[]): Promise<Map<number, string>> {
  const found = await serversByKeys(deps.db, keys, presenceSince(deps));
  return new Map(found.map((server) => [server.key, JSON.stringify(wire(server))]));
}

/** A server as the API gives it. */
export function wire(server: ServerNow): z.input<typeof ServerShape> {
  const { name, region, playing, max, icon, order, current_map, next_map, players, playerCount: player_count } = server;
  return {
    ...{ id: idOf(server.key), name, region, current: playing, max, icon, order },
    ...{ current_map, next_map, player_count, players },
  };
}
