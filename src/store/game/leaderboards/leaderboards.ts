import { getValue, type Queryable } from '#db/db.ts';
import { identifier, join, list, sql } from '#db/sql.ts';
import { keepsPrivate } from '../private-players.ts';
import { type BoardCounter, countersIn, MATCH_GROUPS, type MatchGroup } from '../statistics-groups.ts';

/** Reads the leaderboards, which `leaderboard-projection.ts` updates asynchronously. */

/** The counters by which a board can be ordered, the usual one first. */
export const METRICS = ['win', 'kill', 'play'] as const satisfies readonly BoardCounter[];
export type Metric = (typeof METRICS)[number];
/** The mode groups for which matches count, and `total` for all of them together. */
export type LeaderboardMode = MatchGroup | 'total';
export const MODES: readonly LeaderboardMode[] = ['total', ...MATCH_GROUPS];

/** The columns of `boards` that are counted. */
export const BOARD_COUNTERS = countersIn('boards');
export const BOARD_COLUMNS = join(BOARD_COUNTERS.map(identifier));
export type LeaderboardCounts = Record<BoardCounter, number>;

export interface Leader extends LeaderboardCounts {
  key: number;
  uuid: string;
  name: string;
}

/** The last row of a page: its value of the metric and its player's key. The next page continues after it. */
export interface LeaderboardEntry {
  value: number;
  key: number;
}

export interface LeaderboardQuery {
  bucket: number;
  mode: LeaderboardMode;
  metric: Metric;
  after?: LeaderboardEntry | undefined;
  limit: number;
}

/** One page of a board, highest value first, without private players. */
export async function leaders(db: Queryable, query: LeaderboardQuery): Promise<Leader[]> {
  const { bucket, mode, metric, after, limit } = query;
  const column = identifier(metric);
  const from = after === undefined ? sql`` : sql`and (b.${column}, b.player_key) < (${after.value}, ${after.key})`;
  return await db.all<Leader>(sql`
    select p.key, p.uuid, p.name, ${BOARD_COLUMNS}
    from boards b join players p on p.key = b.player_key
    where b.bucket = ${bucket} and b.mode = ${mode} and b.${column} > 0 ${from} and not ${keepsPrivate(sql`p.uuid`)}
    order by b.${column} desc, b.player_key desc limit ${limit}`);
}

/** A player's counts in each of the buckets, over all modes. Buckets without matches are absent. */
export async function readActivity(
  db: Queryable,
  playerKey: number,
  buckets: readonly number[],
): Promise<Map<number, LeaderboardCounts>> {
  const rows = await db.all<LeaderboardCounts & { bucket: number }>(sql`
    select bucket, ${BOARD_COLUMNS} from boards
    where bucket in (${list(buckets)}) and mode = 'total' and player_key = ${playerKey}`);
  return new Map(rows.map(({ bucket, ...counts }) => [bucket, counts]));
}

/** The place of the total of all maps in their results: no map has an empty name. */
export const ALL_MAPS = '';

/** The matches that the leaderboards count, without reading them. */
export const countedMatches = async (db: Queryable): Promise<number> =>
  (await getValue<number>(db, sql`select play from map_results where map_key = ${ALL_MAPS} and team = ''`)) ?? 0;

export interface MapResults {
  /** Finished matches on the map. */
  matches: number;
  /** Matches without a winner. */
  draws: number;
  teams: { team: string; play: number; win: number }[];
}

const MAX_TEAMS = 64;

/** How often each team played and won on a map, given by its name key; teams are sorted by name. */
export async function resultsOn(db: Queryable, mapKey: string): Promise<MapResults> {
  const rows = await db.all<{ team: string; play: number; win: number }>(sql`
    select team, play, win from map_results where map_key = ${mapKey} order by team limit ${MAX_TEAMS}`);
  const totals = rows.find(({ team }) => team === '');
  return { matches: totals?.play ?? 0, draws: totals?.win ?? 0, teams: rows.filter(({ team }) => team !== '') };
}
