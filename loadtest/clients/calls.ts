import type { Call } from './generators.ts';

/** The part of an OpenAPI document that the load test reads. */
export interface ApiDocument {
  paths: Record<string, { get: Operation }>;
}

interface Operation {
  operationId: string;
  parameters?: Parameter[];
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema?: { items?: { enum?: string[] } };
}

/** A call with the same request without a generated client. */
export interface PlannedCall extends Call {
  /** The path with its query. */
  target: string;
}

type Get = (target: string) => Promise<unknown>;

/** A call of every operation with all its `fields`. The id in a path is that of the first entry of the parent list. */
export async function planCalls({ paths }: ApiDocument, get: Get): Promise<PlannedCall[]> {
  const calls: PlannedCall[] = [];
  const player = await playerOfNewestMatch(get);
  const rotation = await playingServer(get);
  for (const [path, { get: operation }] of Object.entries(paths)) {
    const list = path.slice(0, path.indexOf('/{id}'));
    const id = !path.includes('{id}') ? undefined : list === '/v1/players' ? player : await firstId(get, list);
    const query = buildQuery(operation, rotation);
    const search = Object.entries(query ?? {}).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
    const target = `${path.replace('{id}', encodeURIComponent(id ?? ''))}?${search.join('&')}`;
    calls.push({ operationId: operation.operationId, id, query, target });
  }
  return calls;
}

/** @param rotation the name of a server for `rotation`, without which `fields=rotation_order` is refused */
function buildQuery({ parameters = [] }: Operation, rotation: string): Record<string, unknown> | undefined {
  const named = (name: string): Parameter | undefined =>
    parameters.find((parameter) => parameter.in === 'query' && parameter.name === name);
  const fields = named('fields')?.schema?.items?.enum;
  const query = {
    ...(named('limit') === undefined ? {} : { limit: 5 }),
    ...(named('rotation') === undefined ? {} : { rotation }),
    ...(fields === undefined ? {} : { fields }),
  };
  return Object.keys(query).length === 0 ? undefined : query;
}

async function firstId(get: Get, list: string): Promise<string> {
  const [first] = (await get(list)) as { id: string }[];
  return first!.id;
}

async function playerOfNewestMatch(get: Get): Promise<string> {
  const [match] = (await get('/v1/matches?limit=1&fields=teams')) as { teams: { players: { uuid: string }[] }[] }[];
  return match!.teams.flatMap(({ players }) => players)[0]!.uuid;
}

async function playingServer(get: Get): Promise<string> {
  const servers = (await get('/v1/servers')) as { name: string; current_map: string }[];
  return servers.find(({ current_map }) => current_map !== '')!.name;
}
