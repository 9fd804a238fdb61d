import { insertAll, list, type Sql, sql, type Value } from '#db/sql.ts';
import { ALL_MAPS, BOARD_COUNTERS, type LeaderboardCounts, type LeaderboardMode } from './leaderboards.ts';
import { type BucketsAt, oldestRetained, type Period, PERIODS } from '../time-buckets.ts';
import { groupOf } from '../statistics-groups.ts';

/** Receives the counts of a match: the accumulator of the projection, or a bulk loader. */
export type LeaderboardCounter = Pick<LeaderboardChanges, 'add' | 'addResult'>;

export interface CountedPlayer {
  player_key: number;
  result: string;
  kill_count: number;
  death_count: number;
  time_played: number;
}

export type IsRetained = (period: Period, bucket: number) => boolean;

/** The retained buckets at a time; matches need not be counted in older ones. */
export function retainedAt(at: BucketsAt, now: number): IsRetained {
  const oldest = oldestRetained(at, now);
  return (period, bucket) => period === 'all' || bucket >= oldest[period];
}

/** Counts a player of a match in every retained bucket of the match. */
export function countPlayer(
  changes: LeaderboardCounter,
  gamemode: string,
  buckets: ReturnType<BucketsAt>,
  isRetained: IsRetained,
  player: CountedPlayer,
): void {
  const { player_key, result, kill_count: kill, death_count: death, time_played: time } = player;
  const counts = { play: 1, win: result === 'win' ? 1 : 0, kill, death, time };
  const modes: readonly LeaderboardMode[] = ['total', groupOf(gamemode)];
  for (const period of PERIODS) {
    if (!isRetained(period, buckets[period])) continue;
    for (const mode of modes) changes.add(buckets[period], mode, player_key, counts);
  }
}

/** Counts a match in the total of all maps, in the results of its map (the empty team), and for each named team. */
export function countResult(
  changes: LeaderboardCounter,
  mapKey: string,
  winners: readonly string[],
  teams: readonly string[],
): void {
  changes.addResult(ALL_MAPS, '', winners.length === 0);
  changes.addResult(mapKey, '', winners.length === 0);
  for (const name of teams) if (name !== '') changes.addResult(mapKey, name, winners.includes(name));
}

/** Accumulates the changes of several matches to the leaderboards in memory, to write one row for each player and board. */
export class LeaderboardChanges {
  readonly #boards = new Map<string, { place: [number, LeaderboardMode, number]; counts: LeaderboardCounts }>();
  readonly #results = new Map<string, { place: [string, string]; play: number; win: number }>();

  add(bucket: number, mode: LeaderboardMode, playerKey: number, counts: LeaderboardCounts): void {
    const name = `${bucket} ${mode} ${playerKey}`;
    const existing = this.#boards.get(name);
    if (existing === undefined) {
      this.#boards.set(name, { place: [bucket, mode, playerKey], counts: { ...counts } });
      return;
    }
    for (const counter of BOARD_COUNTERS) existing.counts[counter] += counts[counter];
  }

  addResult(mapKey: string, team: string, won: boolean): void {
    const name = `${mapKey}\n${team}`;
    const existing = this.#results.get(name) ?? { place: [mapKey, team], play: 0, win: 0 };
    existing.play++;
    if (won) existing.win++;
    this.#results.set(name, existing);
  }

  /** The statements that add the accumulated counts. All writers use the same order of rows. */
  additions(): Sql[] {
    return [
      ...insertAll(LEADERBOARD_INSERT, [...this.#boardRows()], LEADERBOARD_SUM),
      ...insertAll(RESULT_INSERT, [...this.#resultRows()], RESULT_SUM),
    ];
  }

  /** The statements that subtract the accumulated counts and delete rows that become empty. */
  subtractions(): Sql[] {
    const [boards, results] = [[...this.#boardRows()], [...this.#resultRows()]];
    return [
      ...insertAll(LEADERBOARD_INSERT, boards.map(negated(3)), LEADERBOARD_SUM),
      ...insertAll(RESULT_INSERT, results.map(negated(2)), RESULT_SUM),
      ...emptyBoards(boards),
      ...emptyResults(results),
    ];
  }

  *#boardRows(): Generator<Value[]> {
    for (const { place, counts } of inOrder(this.#boards))
      yield [...place, ...BOARD_COUNTERS.map((counter) => counts[counter])];
  }

  *#resultRows(): Generator<Value[]> {
    for (const { place, play, win } of inOrder(this.#results)) yield [...place, play, win];
  }
}

const LEADERBOARD_INSERT = `insert into boards (bucket, mode, player_key, ${BOARD_COUNTERS.join(', ')}) values`;
const LEADERBOARD_SUM = `on conflict (bucket, mode, player_key) do update set ${BOARD_COUNTERS.map(sumIn('boards')).join(', ')}`;
const RESULT_INSERT = 'insert into map_results (map_key, team, play, win) values';
const RESULT_SUM = `on conflict (map_key, team) do update set ${['play', 'win'].map(sumIn('map_results')).join(', ')}`;

function sumIn(table: string): (counter: string) => string {
  return (counter) => `${counter} = ${table}.${counter} + cast(excluded.${counter} as bigint)`;
}

/** A row with the opposite of each number after the columns of its key. */
const negated =
  (keyColumns: number) =>
  (row: Value[]): Value[] =>
    row.map((value, column) => (column < keyColumns ? value : 0 - (value as number)));

const distinctValues = (rows: readonly Value[][], column: number): Sql =>
  list([...new Set(rows.map((row) => row[column]!))]);

/** Only the subtraction above makes counts zero, so the lists may contain other rows as well. */
function emptyBoards(rows: readonly Value[][]): Sql[] {
  if (rows.length === 0) return [];
  const [buckets, modes, players] = [distinctValues(rows, 0), distinctValues(rows, 1), distinctValues(rows, 2)];
  return [
    sql`delete from boards where bucket in (${buckets}) and mode in (${modes}) and player_key in (${players}) and play <= 0`,
  ];
}

function emptyResults(rows: readonly Value[][]): Sql[] {
  if (rows.length === 0) return [];
  return [
    sql`delete from map_results where map_key in (${distinctValues(rows, 0)}) and team in (${distinctValues(rows, 1)}) and play <= 0`,
  ];
}

/** Rows in the order of their keys, so that concurrent writers of the same rows cannot deadlock. */
function inOrder<T>(rows: Map<string, T>): T[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
