import { sql } from '#db/sql.ts';
import { ask, type Reply } from '#test/support/request.ts';
import { fileName } from './recording.ts';
import { recordRequest, recordStream } from './requests.ts';
import type { World } from './world.ts';

interface Parameter {
  name: string;
  in: string;
  schema: { enum?: string[]; items?: { enum?: string[] } };
}

interface OpenApi {
  paths: Record<string, { get: { parameters?: Parameter[] } }>;
}

const OPENAPI = '/v1/openapi.json';
const STREAM = '/v1/changes/stream';

/**
 * Records the response of every endpoint, with all optional fields, for every resource that the lists of the data API name
 * and for every player.
 * @returns the routes of the endpoints
 */
export async function recordApi(world: World, token: string, folder = 'api'): Promise<string[]> {
  const { recording, api: origin, name } = world;
  const get = (path: string, file = path): Promise<Reply> =>
    recordRequest(recording, `${name}/${folder}/${fileName(file)}.txt`, { origin, path, wish: { token } });
  const document = (await get(OPENAPI)).json as OpenApi;
  const ids = await resources(world, async (path) => (await ask(origin, path, { token })).json as { id: string }[]);
  for (const [path, { get: operation }] of Object.entries(document.paths)) {
    const enums = operation.parameters?.find(({ name: parameter }) => parameter === 'fields')?.schema.items?.enum ?? [];
    const rotation = enums.includes('rotation_order') ? '&rotation=Alpha' : '';
    const query = enums.length === 0 ? '' : `?fields=${enums.join(',')}${rotation}`;
    for (const target of targetsOf(path, operation.parameters ?? [], ids))
      if (target === STREAM)
        await recordStream(recording, `${name}/${folder}/stream.txt`, { origin, path: target, wish: { token } });
      else await get(target + query, `${target}${query === '' ? '' : '-with-fields'}`);
  }
  await recordVariants(world, folder, get, ids);
  return Object.keys(document.paths).map((path) => `GET ${path}`);
}

/** The path with every value of its parameters: ids of resources, or words of a list. */
function targetsOf(path: string, parameters: readonly Parameter[], ids: Record<string, string[]>): string[] {
  const noun = path.split('/')[2]!;
  let targets = [path];
  for (const { name, schema } of parameters.filter((parameter) => parameter.in === 'path')) {
    const values = schema.enum ?? ids[noun]!;
    targets = targets.flatMap((target) =>
      values.map((value) => target.replace(`{${name}}`, encodeURIComponent(value))),
    );
  }
  return targets;
}

const idsOf = (rows: { id: string }[]): string[] => rows.map(({ id }) => id);

/** The ids of all servers, matches, maps, punishments and players. */
async function resources(
  { context }: World,
  list: (path: string) => Promise<{ id: string }[]>,
): Promise<Record<string, string[]>> {
  return {
    servers: idsOf(await list('/v1/servers')),
    matches: idsOf(await list('/v1/matches?limit=100')),
    maps: idsOf(await list('/v1/maps?limit=100')),
    punishments: idsOf(await list('/v1/punishments?limit=100')),
    players: (await context.db.tuples(sql`select uuid from players order by key limit 60`)).map(([uuid]) =>
      String(uuid),
    ),
  };
}

/** Parameters, other credentials, methods and errors. */
async function recordVariants(
  { recording, api: origin, name }: World,
  folder: string,
  get: (path: string) => Promise<Reply>,
  { servers, matches, players }: Record<string, string[]>,
): Promise<void> {
  const [server, match, player] = [servers![0]!, matches![0]!, players![0]!];
  for (const path of [
    ...['/v1/matches?limit=2', `/v1/matches?limit=3&max_id=${matches![2]}`, '/v1/matches?fields=nonsense'],
    ...['/v1/matches?limit=0', '/v1/matches?limit=x', '/v1/maps?playing=1', '/v1/maps?playing=0', '/v1/maps?playing=2'],
    ...['/v1/maps?gamemode=ctw', '/v1/maps?rotation=Alpha&fields=rotation_order', '/v1/maps?rotation=nothing'],
    ...['/v1/punishments?limit=1', `/v1/players/${player}/matches?limit=1`, `/v1/players/${player}/kills?limit=1`],
    ...[
      `/v1/servers/${server}/`,
      `/v1/matches/${match}`,
      '/v1/matches/nothing',
      '/v1/servers/nothing',
      '/v1/maps/nothing',
    ],
    ...[
      '/v1/players/nothing',
      '/v1/players/me',
      `/v1/players?uuids=${player},${players![1]}&names=Ada,nobody`,
      '/v1/players?search=a&limit=3',
      '/v1/players?search=',
      '/v1/leaderboards/total/all?by=kill_count&limit=2',
      '/v1/leaderboards/total/week?ago=1',
      '/v1/leaderboards/nothing/all',
      '/v1/punishments/nothing',
      '/v1/nothing',
      '/',
      '/v1/servers/nothing/live-match',
    ],
  ])
    await get(path);
  const record = (file: string, path: string, wish: object): Promise<Reply> =>
    recordRequest(recording, `${name}/${folder}/${file}.txt`, { origin, path, wish });
  await record('no-credentials', '/v1/servers', {});
  await record('wrong-token', '/v1/servers', { token: 'nothing' });
  await record('post', '/v1/servers', { method: 'POST' });
  await record('options', '/v1/servers', { method: 'OPTIONS' });
}
