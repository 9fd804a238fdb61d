import type { Queryable } from '#db/db.ts';
import { identifier, list, sql } from '#db/sql.ts';
import { type Group, GROUP_NAMES } from './player-stats.ts';

/** Leaderboards: rows that `leaderboard-projection.ts` keeps up, read by index. */

/** What a board can be ordered by. */
export const METRICS = ['win', 'kill', 'play'] as const;
export type Metric = (typeof METRICS)[number];
/** The mode groups that matches feed, and all of them together. */
export type LeaderboardMode = Exclude<Group, 'factions'> | 'total';
export const MODES: readonly LeaderboardMode[] = ['total', ...GROUP_NAMES.filter((group) => group !== 'factions')];

export interface LeaderboardCounts {
  play: number;
  win: number;
  kill: number;
  death: number;
  /** Seconds. */
  time: number;
}

export interface Leader extends LeaderboardCounts {
  key: number;
  uuid: string;
  name: string;
}

/** Where a page of a board ends: the next one begins behind it. */
export interface LeaderboardEntry {
  value: number;
  key: number;
}

export interface LeaderboardQuery {
  bucket: number;
  mode: LeaderboardMode;
  metric: Metric;
  behind?: LeaderboardEntry | undefined;
  limit: number;
}

/** The players of a board by a metric, the highest first. */
export async function leaders(db: Queryable, query: LeaderboardQuery): Promise<Leader[]> {
  const { bucket, mode, metric, behind, limit } = query;
  const column = identifier(metric);
  const from = behind === undefined ? sql`` : sql`and (b.${column}, b.player_key) < (${behind.value}, ${behind.key})`;
  return await db.all<Leader>(sql`
    select p.key, p.uuid, p.name, b.play, b.win, b.kill, b.death, b.time
    from boards b join players p on p.key = b.player_key
    where b.bucket = ${bucket} and b.mode = ${mode} and b.${column} > 0 ${from}
    order by b.${column} desc, b.player_key desc limit ${limit}`);
}

/** What a player did in each of some buckets, all modes together; buckets without matches are absent. */
export async function activityOf(
  db: Queryable,
  playerKey: number,
  buckets: readonly number[],
): Promise<Map<number, LeaderboardCounts>> {
  const rows = await db.all<LeaderboardCounts & { bucket: number }>(sql`
    select bucket, play, win, kill, death, time from boards
    where bucket in (${list(buckets)}) and mode = 'total' and player_key = ${playerKey}`);
  return new Map(rows.map(({ bucket, ...counts }) => [bucket, counts]));
}

export interface MapResults {
  /** Finished matches on the map. */
  matches: number;
  /** Those without a winner. */
  draws: number;
  teams: { team: string; play: number; win: number }[];
}

const MAX_TEAMS = 64;

/** Who won how often on a map, by the map's name key; teams by their names. */
export async function resultsOn(db: Queryable, mapKey: string): Promise<MapResults> {
  const rows = await db.all<{ team: string; play: number; win: number }>(sql`
    select team, play, win from map_results where map_key = ${mapKey} order by team limit ${MAX_TEAMS}`);
  const all = rows.find(({ team }) => team === '');
  return { matches: all?.play ?? 0, draws: all?.win ?? 0, teams: rows.filter(({ team }) => team !== '') };
}
