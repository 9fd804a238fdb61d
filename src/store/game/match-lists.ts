import type { Queryable } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { HAS_MERGED, withSurvivors } from './merged-players.ts';
import { keysetPage, type Page, pageBefore } from '../keyset-paging.ts';
import { type MatchHead, type MatchTeam, playedBelow, type PlayedMatch } from './matches.ts';

/** The filter of a list of matches, a single condition so that each list reads one index. */
export type MatchFilter = { mapKey: string } | { serverKey: number } | { gamemode: string } | undefined;

/** A match in a list of the site, with the keys for its links. */
export interface ListedMatch extends MatchHead {
  map_key: string;
  server_key: number;
}

/** Matches with keys below `before`, newest first. */
export async function listMatchesWhere(
  db: Queryable,
  filter: MatchFilter,
  before: number,
  limit: number,
): Promise<ListedMatch[]> {
  const page = pageBefore(before, limit);
  return await db.all<ListedMatch>(sql`
    select key, head, started, finished, map_key, server_key from matches where ${toCondition(filter, page)}`);
}

function toCondition(filter: MatchFilter, page: Page): Sql {
  if (filter === undefined) return sql`${page.bound} order by key ${page.direction} limit ${page.limit}`;
  if ('mapKey' in filter) return keysetPage('map_key', filter.mapKey, page);
  if ('serverKey' in filter) return keysetPage('server_key', filter.serverKey, page);
  return keysetPage('gamemode', filter.gamemode, page);
}

/** A player's matches with keys below `before`, newest first. */
export async function listPlayedMatches(
  db: Queryable,
  playerKey: number,
  before: number,
  limit: number,
): Promise<(PlayedMatch & ListedMatch)[]> {
  return await db.all<PlayedMatch & ListedMatch>(sql`
    select m.key, m.head, m.started, m.finished, m.map_key, m.server_key, p.result, p.score, p.kill_count, p.death_count,
      p.envdeath_count
    ${playedBelow(playerKey, before, limit)}`);
}

/** The teams of matches by the key of the match. Matches without a row are absent. */
export async function teamsOfMatches(db: Queryable, keys: readonly number[]): Promise<Map<number, MatchTeam[]>> {
  if (keys.length === 0) return new Map();
  const rows = await db.tuples(
    sql`select match_key, teams, ${HAS_MERGED} from match_details where match_key in (${list([...keys])})`,
  );
  const stored = (rows as [number, string, number][]).map(([key, teams, merged]) => ({
    key,
    teams,
    isMerged: merged === 1,
  }));
  const matches = await withSurvivors(db, stored);
  return new Map(matches.map(({ key, teams }) => [key, JSON.parse(teams) as MatchTeam[]]));
}
