import type { Queryable } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { isCounted } from '../excluded-matches.ts';
import { factsOf } from '../matches.ts';
import type { MatchResult } from '../player-matches.ts';
import { isLeftOut } from '../unranked-players.ts';
import type { Rival } from './kill-pairs.ts';

/**
 * What the newest matches of a player tell: form, best map, teammates and opponents. It is read from the matches themselves: a
 * match of twenty has 190 pairs of players, of which nearly all are new, so that counting them would cost more than storing the
 * match, and grow without a bound (docs/performance.md).
 */
export const RECENT_MATCHES = 50;

/** The newest matches of a player that count. */
const recent = (player: number): Sql => sql`
  select p.match_key, p.result, p.team from player_matches p
  where p.player_key = ${player} and ${isCounted(sql`p.match_key`)}
    and exists (select 1 from match_details d where d.match_key = p.match_key)
  order by p.player_key desc, p.match_key desc limit ${RECENT_MATCHES}`;

export interface RecentMatch {
  key: number;
  map: string;
  result: MatchResult;
}

/** Newest first. */
export async function recentMatches(db: Queryable, player: number): Promise<RecentMatch[]> {
  const rows = await db.tuples(sql`
    select newest.match_key, m.head, newest.result from (${recent(player)}) newest cross join matches m
    where m.key = newest.match_key order by newest.match_key desc`);
  return (rows as [number, string, MatchResult][]).map(([key, head, result]) => ({
    key,
    map: factsOf(head).map,
    result,
  }));
}

export interface MapForm {
  map: string;
  play: number;
  win: number;
}

/** The map with the most victories; of several the one with the fewest matches, then the first by name. */
export function bestMap(matches: readonly RecentMatch[]): MapForm | undefined {
  const maps = [...Map.groupBy(matches, ({ map }) => map)].map(([map, played]) => ({
    ...{ map, play: played.length },
    win: played.filter(({ result }) => result === 'win').length,
  }));
  const [best] = maps.sort((a, b) => b.win - a.win || a.play - b.play || (a.map < b.map ? -1 : 1));
  return best === undefined || best.win === 0 ? undefined : best;
}

export type Side = 'teammates' | 'opponents';

export interface Companion extends Rival {
  /** Matches that both played, on one side or on two. */
  play: number;
  /** Those that the player won. */
  win: number;
}

const SIDES: Record<Side, Sql> = { teammates: sql`o.team = newest.team`, opponents: sql`o.team <> newest.team` };

interface Page {
  player: number;
  /** The key of the last one of the page before. */
  after?: number | undefined;
  limit: number;
}

/** The people with whom or against whom a player played most of the newest matches. */
export async function companions(db: Queryable, side: Side, { player, after, limit }: Page): Promise<Companion[]> {
  const rows = (await db.tuples(sql`
    select o.player_key, count(*) as play, cast(sum(case when newest.result = 'win' then 1 else 0 end) as bigint)
    from (${recent(player)}) newest cross join player_matches o
    where o.match_key = newest.match_key and o.player_key <> ${player} and ${SIDES[side]}
    group by o.player_key order by play desc, o.player_key desc`)) as [key: number, play: number, win: number][];
  const found: Companion[] = [];
  const start = after === undefined ? 0 : rows.findIndex(([key]) => key === after) + 1;
  if (after !== undefined && (start === 0 || !(await shownAmong(db, [after])).has(after))) return [];
  for (let place = start; place < rows.length && found.length < limit; place += limit) {
    const page = rows.slice(place, place + limit);
    const shown = await shownAmong(
      db,
      page.map(([key]) => key),
    );
    for (const [key, play, win] of page) {
      const rival = shown.get(key);
      if (rival !== undefined && found.length < limit) found.push({ ...rival, play, win });
    }
  }
  return found;
}

async function shownAmong(db: Queryable, keys: readonly number[]): Promise<Map<number, Rival>> {
  const rows = await db.all<Rival>(sql`
    select p.key, p.uuid, p.name from players p where p.key in (${list([...keys])}) and not ${isLeftOut(sql`p`)}`);
  return new Map(rows.map((rival) => [rival.key, rival]));
}

export interface Together {
  /** As teammates, and against each other. */
  teammates: { play: number; win: number };
  opponents: { play: number; win: number };
}

/** The newest matches of a player in which another one took part. */
export async function matchesTogether(db: Queryable, player: number, other: number): Promise<Together> {
  const rows = await db.tuples(sql`
    select case when o.team = newest.team then 1 else 0 end, newest.result
    from (${recent(player)}) newest cross join player_matches o
    where o.match_key = newest.match_key and o.player_key = ${other} and o.team is not null and newest.team is not null`);
  const on = (same: number): { play: number; win: number } => {
    const played = rows.filter(([isSame]) => isSame === same);
    return { play: played.length, win: played.filter(([, result]) => result === 'win').length };
  };
  return { teammates: on(1), opponents: on(0) };
}
