import { getValue, type Queryable } from '#db/db.ts';
import { identifier, join, list, type Sql, sql } from '#db/sql.ts';
import { type Place, placesOf } from '../place-counts.ts';
import { type BoardCounter, countersIn, MATCH_GROUPS, type MatchGroup } from '../statistics-groups.ts';
import { isRanked } from '../unranked-players.ts';

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
  /** One more than the number of players with a higher value. */
  place: number;
}

/** A row of a board or of a list by value, after which the next page begins: the key is that of the player or the map. */
export interface LeaderboardEntry {
  value: number;
  key: number;
}

export interface Board {
  bucket: number;
  mode: LeaderboardMode;
  metric: Metric;
}

/** One page of a board, highest value first, without players who are left out; after a row, or from the first one. */
export async function leaders(
  db: Queryable,
  query: Board & { after?: LeaderboardEntry | undefined; limit: number },
): Promise<Leader[]> {
  const { after, limit } = query;
  return await placed(db, query, await rows(db, query, 'desc', after, limit));
}

/** A player with the rows before and after on a board; empty if the player has no row. */
export async function leadersAround(db: Queryable, board: Board, playerKey: number, count: number): Promise<Leader[]> {
  const own = await rowOf(db, board, playerKey);
  if (own === undefined) return [];
  const at = { value: own[board.metric], key: playerKey };
  const above = await rows(db, board, 'asc', at, count);
  return await placed(db, board, [...above.reverse(), own, ...(await rows(db, board, 'desc', at, count))]);
}

/** The place of a player on a board; undefined without a row. */
export async function placeOn(db: Queryable, board: Board, playerKey: number): Promise<(Place & Leader) | undefined> {
  const own = await rowOf(db, board, playerKey);
  if (own === undefined) return undefined;
  return { ...own, ...(await placesOf(db, [{ ...rankingOf(board), value: own[board.metric] }]))[0]! };
}

type LeaderRow = Omit<Leader, 'place'>;

const rankingOf = ({ bucket, mode, metric }: Board) => ({ board: bucket, mode, counter: metric });

const select = ({ bucket, mode }: Board): Sql => sql`
  select p.key, p.uuid, p.name, ${BOARD_COLUMNS} from boards b join players p on p.key = b.player_key
  where b.bucket = ${bucket} and b.mode = ${mode} and ${isRanked(sql`b.player_key`)}`;

const rowOf = (db: Queryable, board: Board, playerKey: number): Promise<LeaderRow | undefined> =>
  db.get<LeaderRow>(sql`
    ${select(board)} and b.player_key = ${playerKey} and b.${identifier(board.metric)} > 0`);

/** @param direction `desc`: the rows below `from`, downwards; `asc`: those above, upwards */
async function rows(
  db: Queryable,
  board: Board,
  direction: 'desc' | 'asc',
  from: LeaderboardEntry | undefined,
  limit: number,
): Promise<LeaderRow[]> {
  const column = identifier(board.metric);
  const isAfter = from === undefined ? sql`` : sql`and (b.${column}, b.player_key) < (${from.value}, ${from.key})`;
  // SQLite would begin an upward range at the first of two lower bounds.
  const range =
    direction === 'desc'
      ? sql`b.${column} > 0 ${isAfter}`
      : sql`(b.${column}, b.player_key) > (${from!.value}, ${from!.key})`;
  const order = identifier(direction);
  return await db.all<LeaderRow>(sql`
    ${select(board)} and ${range} order by b.${column} ${order}, b.player_key ${order} limit ${limit}`);
}

/**
 * Adds the places to rows that follow each other. Those of the first two values are looked up, because rows with the first one
 * may be on the page before; from there on the rows are counted.
 */
async function placed(db: Queryable, board: Board, found: readonly LeaderRow[]): Promise<Leader[]> {
  const values = found.map((row) => row[board.metric]);
  const second = values.findIndex((value) => value !== values[0]);
  const asked = [values[0], values[second]].filter((value) => value !== undefined);
  const [first, next] = await placesOf(
    db,
    asked.map((value) => ({ ...rankingOf(board), value })),
  );
  let place = first?.place ?? 1;
  return found.map((row, index) => {
    if (second >= 0 && index >= second && values[index] !== values[index - 1]) place = next!.place + index - second;
    return { ...row, place };
  });
}

export interface BoardPlace extends Place, Board {
  value: number;
}

/** The places of a player on all boards of the buckets on which the player has a value; none if the player is left out. */
export async function placesOfPlayer(
  db: Queryable,
  playerKey: number,
  buckets: readonly number[],
): Promise<BoardPlace[]> {
  const found = await db.all<Pick<Board, 'bucket' | 'mode'> & Record<Metric, number>>(sql`
    select bucket, mode, ${join(METRICS.map(identifier))} from boards b
    where bucket in (${list(buckets)}) and mode in (${list(MODES)}) and player_key = ${playerKey}
      and ${isRanked(sql`b.player_key`)}`);
  const byBoard = new Map(found.map((row) => [`${row.bucket} ${row.mode}`, row]));
  const boards = buckets.flatMap((bucket) =>
    MODES.flatMap((mode) =>
      METRICS.map((metric) => ({ bucket, mode, metric, value: byBoard.get(`${bucket} ${mode}`)?.[metric] ?? 0 })),
    ),
  );
  const played = boards.filter(({ value }) => value > 0);
  const places = await placesOf(
    db,
    played.map((one) => ({ ...rankingOf(one), value: one.value })),
  );
  return played.map((board, index) => ({ ...board, ...places[index]! }));
}

/** How many of the first players of a board are compared with an earlier one, and how many climbers there are at most. */
export const COMPARED_PLACES = 50;
export const CLIMBERS = 5;

export interface Climber {
  /** The key of the player. */
  key: number;
  place: number;
  /** Gained places. */
  up: number;
}

/**
 * Those of the first players of a board who gained most places since an earlier one, where players without a row have the place
 * after the last one.
 */
export async function climbers(db: Queryable, board: Board, earlier: number): Promise<Climber[]> {
  const first = await leaders(db, { ...board, limit: COMPARED_PLACES });
  const { mode, metric } = board;
  const rows = await db.tuples(sql`
    select player_key, ${identifier(metric)} from boards
    where bucket = ${earlier} and mode = ${mode} and player_key in (${list(first.map(({ key }) => key))})`);
  const values = new Map(rows as [number, number][]);
  const before = new Map<number, number>();
  for (const value of new Set(first.map(({ key }) => values.get(key) ?? 0))) {
    // One value a statement, so that there is one prepared statement.
    const [found] = await placesOf(db, [{ board: earlier, mode, counter: metric, value }]);
    before.set(value, found!.place);
  }
  return first
    .map(({ key, place }) => ({ key, place, up: before.get(values.get(key) ?? 0)! - place }))
    .filter(({ up }) => up > 0)
    .sort((a, b) => b.up - a.up)
    .slice(0, CLIMBERS);
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
