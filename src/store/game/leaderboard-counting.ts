import type { LeaderboardChanges } from './leaderboard-changes.ts';
import type { LeaderboardMode } from './leaderboards.ts';
import { type BucketsAt, oldestRetained, type Period, PERIODS } from './time-buckets.ts';
import { groupOf } from './player-stats.ts';

/** What one finished match counts for on the boards, whoever writes them down. */
export type Counting = Pick<LeaderboardChanges, 'add' | 'addResult'>;

export interface CountedPlayer {
  player_key: number;
  result: string;
  kill_count: number;
  death_count: number;
  time_played: number;
}

export type IsRetained = (period: Period, bucket: number) => boolean;

/** Which buckets are kept at a moment: what lies before them need not be counted. */
export function retainedAt(at: BucketsAt, now: number): IsRetained {
  const oldest = oldestRetained(at, now);
  return (period, bucket) => period === 'all' || bucket >= oldest[period];
}

/** Counts a player of a match in every bucket of the match that is kept. */
export function countPlayer(
  changes: Counting,
  gamemode: string,
  buckets: ReturnType<BucketsAt>,
  isKept: IsRetained,
  player: CountedPlayer,
): void {
  const { player_key, result, kill_count: kill, death_count: death, time_played: time } = player;
  const counts = { play: 1, win: result === 'win' ? 1 : 0, kill, death, time };
  const modes: readonly LeaderboardMode[] = ['total', groupOf(gamemode) as LeaderboardMode];
  for (const period of PERIODS) {
    if (!isKept(period, buckets[period])) continue;
    for (const mode of modes) changes.add(buckets[period], mode, player_key, counts);
  }
}

/** Counts a match for its map: as played, and for each team that has a name. */
export function countResult(changes: Counting, mapKey: string, win: string, teams: readonly string[]): void {
  changes.addResult(mapKey, '', win === '');
  for (const name of teams) if (name !== '') changes.addResult(mapKey, name, name === win);
}
