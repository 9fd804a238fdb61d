import { idOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import type { BenchClient } from './client.ts';
import { anyOf, type BenchRequest, type Case } from './case.ts';

/** The newest so many matches are what most people look at. */
const HOT = 1000;
const GROUPS = 'bowspleef,cp,ctw,factions,kills,matches,objective,paintball,splatt,teampvp,total,tntrun';

/** What applications ask of the data API. */
export async function apiCases(client: BenchClient): Promise<Case[]> {
  const { matches, players } = await known(client);
  const headers = { authorization: `Bearer ${client.token}` };
  const get = (path: string): BenchRequest => ({ path, headers });
  const match = (among?: number): string => idOf(anyOf(matches, among));
  const fixed = `/v1/matches/${idOf(matches[0]!)}`;
  return [
    { name: 'one match, hot', ask: () => get(`/v1/matches/${match(HOT)}`), status: 200 },
    { name: 'one match, random', ask: () => get(`/v1/matches/${match()}`), status: 200 },
    { name: 'list of 20, newest', ask: () => get('/v1/matches'), status: 200 },
    { name: 'list of 20, random', ask: () => get(`/v1/matches?max_id=${match()}`), status: 200 },
    {
      name: 'list of 100 with teams',
      ask: () => get(`/v1/matches?limit=100&fields=teams&max_id=${match()}`),
      status: 200,
    },
    { name: 'player with all groups', ask: () => get(`/v1/players/${anyOf(players)}?fields=${GROUPS}`), status: 200 },
    unchanged(get(fixed)),
    { name: '401', ask: () => ({ path: fixed, headers: { authorization: 'Bearer wrong' } }), status: 401 },
  ];
}

/** A client that has the answer already and asks whether it still holds. */
function unchanged({ path, headers }: BenchRequest): Case {
  let etag = '';
  return {
    name: '304',
    ask: () => ({ path, headers: { ...headers, 'if-none-match': etag } }),
    prepare: async (origin) => {
      etag = (await fetch(origin + path, { headers: headers! })).headers.get('etag')!;
    },
    status: 304,
  };
}

async function known({ context: { db } }: BenchClient): Promise<{ matches: number[]; players: string[] }> {
  const matches = await db.tuples(sql`select key from matches order by key desc`);
  const players = await db.tuples(sql`select uuid from players order by key limit 20000`);
  return { matches: matches.map(([key]) => key as number), players: players.map(([uuid]) => uuid as string) };
}
