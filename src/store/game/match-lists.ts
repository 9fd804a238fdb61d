import { readTime } from '#text/time.ts';
import type { Queryable } from '#db/db.ts';
import { identifier, list, type Sql, sql } from '#db/sql.ts';
import { HAS_MERGED, withSurvivors } from './merged-players.ts';
import { type MatchHead, type MatchTeam, playedBelow, type PlayedMatch } from './matches.ts';

/** The filter of a list of matches, a single condition so that each list reads one index. */
export type MatchFilter = { mapKey: string } | { serverKey: number } | { gamemode: string } | undefined;

/** A match in a list of the site, with the keys for its links. */
export interface ListedMatch extends MatchHead {
  map_key: string;
  server_key: number;
}

/** The position of a match in a list by the end. */
export interface End {
  finished: number;
  key: number;
}

const LAST: End = { finished: Number.MAX_SAFE_INTEGER, key: Number.MAX_SAFE_INTEGER };

/**
 * Matches by their end, the last one first.
 * @param before the key of the last match of the page before; `Number.MAX_SAFE_INTEGER` for the first page
 */
export async function listMatchesWhere(
  db: Queryable,
  filter: MatchFilter,
  before: number,
  limit: number,
): Promise<ListedMatch[]> {
  const end = await endOf(db, before);
  if (end === undefined) return [];
  return await db.all<ListedMatch>(sql`
    select key, head, started, finished, map_key, server_key from matches where ${toCondition(filter, end, limit)}`);
}

/**
 * The end of a match, also of a withdrawn one, which the ledger still has. For the key of no match a position near it: after
 * the end of the match that arrived before it.
 */
export async function endOf(db: Queryable, key: number): Promise<End | undefined> {
  if (key === Number.MAX_SAFE_INTEGER) return LAST;
  const found = await db.get<End>(sql`
    select finished, key from matches where key <= ${key} order by key desc limit 1`);
  if (found?.key === key) return found;
  const withdrawn = await db.get<{ body: string }>(sql`
    select body from ledger where key = ${key} and type = 'match.finished'`);
  const finished = withdrawn && readTime((JSON.parse(withdrawn.body) as { finished: string }).finished);
  if (finished !== undefined) return { finished, key };
  return found && { finished: found.finished, key: found.key + 1 };
}

/** Each filter reads one index from its end. The value appears twice for the reason at `keysetPage`. */
function toCondition(filter: MatchFilter, { finished, key }: End, limit: number): Sql {
  const bound = sql`(finished, key) < (${finished}, ${key})`;
  const order = sql`finished desc, key desc limit ${limit}`;
  if (filter === undefined) return sql`${bound} order by ${order}`;
  const [column, value] = columnOf(filter);
  const name = identifier(column);
  return sql`${name} in (${value}, ${value}) and ${bound} order by ${name} desc, ${order}`;
}

function columnOf(filter: NonNullable<MatchFilter>): [column: string, value: string | number] {
  if ('mapKey' in filter) return ['map_key', filter.mapKey];
  if ('serverKey' in filter) return ['server_key', filter.serverKey];
  return ['gamemode', filter.gamemode];
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
