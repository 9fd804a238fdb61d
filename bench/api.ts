import { idOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import { periodStart } from '#store/game/time-buckets.ts';
import type { BenchClient } from './client.ts';
import { randomItem, type BenchRequest, type Case } from './case.ts';

/** The number of newest matches that count as hot: most users look at these. */
const HOT = 1000;
const GROUPS = 'bowspleef,cp,ctw,factions,kills,matches,objective,paintball,splatt,teampvp,total,tntrun';

/** The requests of applications to the data API. */
export async function apiCases(client: BenchClient): Promise<Case[]> {
  const { matches, players, ranked } = await existingRecords(client);
  const headers = { authorization: `Bearer ${client.token}` };
  const get = (path: string): BenchRequest => ({ path, headers });
  const match = (among?: number): string => idOf(randomItem(matches, among));
  const fixed = `/v1/matches/${idOf(matches[0]!)}`;
  return [
    { name: 'one match, hot', nextRequest: () => get(`/v1/matches/${match(HOT)}`), status: 200 },
    { name: 'one match, random', nextRequest: () => get(`/v1/matches/${match()}`), status: 200 },
    { name: 'list of 20, newest', nextRequest: () => get('/v1/matches'), status: 200 },
    { name: 'list of 20, random', nextRequest: () => get(`/v1/matches?max_id=${match()}`), status: 200 },
    {
      name: 'list of 100 with teams',
      nextRequest: () => get(`/v1/matches?limit=100&fields=teams&max_id=${match()}`),
      status: 200,
    },
    {
      name: 'player with all groups',
      nextRequest: () => get(`/v1/players/${randomItem(players)}?fields=${GROUPS}`),
      status: 200,
    },
    {
      name: 'places of a player',
      nextRequest: () => get(`/v1/players/${randomItem(ranked)}?fields=places`),
      status: 200,
    },
    {
      name: 'leaderboard around a player',
      nextRequest: () => get(`/v1/leaderboards/total/all?by=play_count&around=${randomItem(ranked)}`),
      status: 200,
    },
    unchanged(get(fixed)),
    { name: '401', nextRequest: () => ({ path: fixed, headers: { authorization: 'Bearer wrong' } }), status: 401 },
  ];
}

/** A conditional request whose response is 304. */
function unchanged({ path, headers }: BenchRequest): Case {
  let etag = '';
  return {
    name: '304',
    nextRequest: () => ({ path, headers: { ...headers, 'if-none-match': etag } }),
    prepare: async (origin) => {
      etag = (await fetch(origin + path, { headers: headers! })).headers.get('etag')!;
    },
    status: 304,
  };
}

interface Records {
  matches: number[];
  players: string[];
  /** Players on the leaderboard of all time. */
  ranked: string[];
}

async function existingRecords({ context: { db } }: BenchClient): Promise<Records> {
  const matches = await db.tuples(sql`select key from matches order by key desc`);
  const players = await db.tuples(sql`select uuid from players order by key limit 20000`);
  const ranked = await db.tuples(sql`
    select p.uuid from boards b join players p on p.key = b.player_key
    where b.bucket = ${periodStart('all')} and b.mode = 'total' limit 20000`);
  return {
    matches: matches.map(([key]) => key as number),
    players: players.map(([uuid]) => uuid as string),
    ranked: ranked.map(([uuid]) => uuid as string),
  };
}
