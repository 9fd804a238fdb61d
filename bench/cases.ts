import { idOf } from '#base/ids.ts';
import { openDb } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** The newest so many matches are what most people look at. */
const HOT = 1000;
const GROUPS = 'bowspleef,cp,ctw,factions,kills,matches,objective,paintball,splatt,teampvp,total,tntrun';

/** One thing that is asked for again and again: each request may be another one. */
export interface Case {
  name: string;
  path: () => string;
  /** Header lines, each with its line end. The token goes along unless one of them is `Authorization`. */
  headers?: string;
  status: number;
}

/** @param etagOf asks for a path once and tells the tag of its answer */
export async function casesOf(url: string, etagOf: (path: string) => Promise<string>): Promise<Case[]> {
  const { matches, players } = await known(url);
  const fixed = `/v1/matches/${idOf(matches[0]!)}`;
  const etag = await etagOf(fixed);
  const match = (among?: number): string => idOf(any(matches, among));
  return [
    { name: 'one match, hot', path: () => `/v1/matches/${match(HOT)}`, status: 200 },
    { name: 'one match, random', path: () => `/v1/matches/${match()}`, status: 200 },
    { name: 'list of 20, newest', path: () => '/v1/matches', status: 200 },
    { name: 'list of 20, random', path: () => `/v1/matches?max_id=${match()}`, status: 200 },
    { name: 'list of 100 with teams', path: () => `/v1/matches?limit=100&fields=teams&max_id=${match()}`, status: 200 },
    { name: 'player with all groups', path: () => `/v1/players/${any(players)}?fields=${GROUPS}`, status: 200 },
    { name: '304', path: () => fixed, headers: `If-None-Match: ${etag}\r\n`, status: 304 },
    { name: '401', path: () => fixed, headers: 'Authorization: Bearer wrong\r\n', status: 401 },
  ];
}

async function known(url: string): Promise<{ matches: number[]; players: string[] }> {
  await using db = await openDb(url);
  const matches = await db.tuples(sql`select key from matches order by key desc`);
  const players = await db.tuples(sql`select uuid from players order by key limit 20000`);
  return { matches: matches.map(([key]) => key as number), players: players.map(([uuid]) => uuid as string) };
}

function any<T>(of: readonly T[], among = of.length): T {
  return of[Math.floor(Math.random() * Math.min(among, of.length))]!;
}
