import type { Call } from './generators.ts';

/** The part of an OpenAPI document that the load test reads. */
export interface ApiDocument {
  paths: Record<string, { get: Operation }>;
}

interface Operation {
  operationId: string;
  parameters?: Parameter[];
  responses: { 200: { content: { 'application/json'?: object } } };
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

/** The path parameters of leaderboards. */
const LEADERBOARD: Record<string, string> = { mode: 'total', period: 'all' };

type Get = (target: string) => Promise<unknown>;

/**
 * A call of every operation that responds with JSON, with all its `fields`. The id in a path is that of the first entry of the
 * parent list.
 */
export async function planCalls({ paths }: ApiDocument, get: Get): Promise<PlannedCall[]> {
  const calls: PlannedCall[] = [];
  const player = await playerOfNewestMatch(get);
  const rotation = await playingServer(get);
  const given: Record<string, object> = {
    '/v1/players': { uuids: [player] },
    // Every walk from the beginning has separate cursors.
    '/v1/changes': { after: await firstCursor(get) },
  };
  for (const [path, { get: operation }] of Object.entries(paths)) {
    if (operation.responses[200].content['application/json'] === undefined) continue;
    const list = path.slice(0, path.indexOf('/{id}'));
    const id = !path.includes('{id}') || list === '/v1/players' ? player : await firstId(get, list);
    const named = Object.fromEntries(
      namesIn(operation, 'path').map((name) => [name, name === 'id' ? id : LEADERBOARD[name]!]),
    );
    const query = buildQuery(operation, given[path] ?? { rotation });
    const search = Object.entries(query ?? {}).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
    const resource = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(named[name]!));
    const target = `${resource}?${search.join('&')}`;
    const parameters = Object.keys(named).length === 0 ? undefined : named;
    calls.push({ operationId: operation.operationId, path: parameters, query, target });
  }
  return calls;
}

const namesIn = ({ parameters = [] }: Operation, place: Parameter['in']): string[] =>
  parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);

/** @param given values of parameters, such as the server's name for `rotation`, without which `fields=rotation_order` is refused */
function buildQuery(operation: Operation, given: object): Record<string, unknown> | undefined {
  const names = namesIn(operation, 'query');
  const fields = operation.parameters?.find(({ name }) => name === 'fields')?.schema?.items?.enum;
  const known = Object.entries({ limit: 5, ...given, fields }).filter(
    ([name, value]) => names.includes(name) && value !== undefined,
  );
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

async function firstId(get: Get, list: string): Promise<string> {
  const [first] = (await get(list)) as { id: string }[];
  return first!.id;
}

async function playerOfNewestMatch(get: Get): Promise<string> {
  const [match] = (await get('/v1/matches?limit=1&fields=teams')) as { teams: { players: { uuid: string }[] }[] }[];
  return match!.teams.flatMap(({ players }) => players)[0]!.uuid;
}

async function firstCursor(get: Get): Promise<string> {
  const { cursor } = (await get('/v1/changes?limit=1')) as { cursor: string };
  return cursor;
}

async function playingServer(get: Get): Promise<string> {
  const servers = (await get('/v1/servers')) as { name: string; current_map: string }[];
  return servers.find(({ current_map }) => current_map !== '')!.name;
}
