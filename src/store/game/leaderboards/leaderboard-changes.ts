import type { Queryable } from '#db/db.ts';
import { ALL_MAPS, BOARD_COUNTERS, type LeaderboardCounts, type LeaderboardMode, METRICS } from './leaderboards.ts';
import { PlaceCountChanges } from '../place-counts.ts';
import { type BucketsAt, oldestRetained, type Period, PERIODS } from '../time-buckets.ts';
import { groupOf } from '../statistics-groups.ts';
import { SumChanges } from '../sum-changes.ts';
import { unrankedAmong } from '../unranked-players.ts';

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

const BOARDS = { name: 'boards', key: ['bucket', 'mode', 'player_key'], sums: BOARD_COUNTERS, empty: 'play' };
const RESULTS = { name: 'map_results', key: ['map_key', 'team'], sums: ['play', 'win'], empty: 'play' };

/** The changes of several matches to the leaderboards and the results of maps. */
export class LeaderboardChanges {
  readonly #boards = new SumChanges<[bucket: number, mode: LeaderboardMode, playerKey: number]>(BOARDS);
  readonly #players = new Set<number>();
  readonly #results = new SumChanges<[mapKey: string, team: string]>(RESULTS);

  add(bucket: number, mode: LeaderboardMode, playerKey: number, counts: LeaderboardCounts): void {
    this.#players.add(playerKey);
    const sums = BOARD_COUNTERS.map((counter) => counts[counter]);
    this.#boards.add([bucket, mode, playerKey], sums);
  }

  addResult(mapKey: string, team: string, won: boolean): void {
    this.#results.add([mapKey, team], [1, Number(won)]);
  }

  /** Adds or subtracts the changes, and counts the places that follow. The caller has the lock of the leaderboards. */
  async write(tx: Queryable, by: 1 | -1 = 1): Promise<void> {
    await tx.runAll(this.#results.statements(by));
    const unranked = await unrankedAmong(tx, [...this.#players]);
    const counts = new PlaceCountChanges();
    await this.#boards.write(tx, by, METRICS, ([board, mode, player], added, after) => {
      if (unranked.has(player)) return;
      for (const [index, counter] of METRICS.entries())
        counts.move({ board, mode, counter }, after[index]! - added[index]!, after[index]!);
    });
    await tx.runAll(counts.statements());
  }
}
