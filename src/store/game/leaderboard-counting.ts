import type { BoardBook } from './leaderboard-changes.ts';
import type { BoardMode } from './leaderboards.ts';
import { type BucketsAt, oldestKept, type Period, PERIODS } from './time-buckets.ts';
import { groupOf } from './player-stats.ts';

/** What one finished match counts for on the boards, whoever writes them down. */
export type Counting = Pick<BoardBook, 'add' | 'addResult'>;

export interface CountedPlayer {
  player_key: number;
  result: string;
  kill_count: number;
  death_count: number;
  time_played: number;
}

export type IsKept = (period: Period, bucket: number) => boolean;

/** Which buckets are kept at a moment: what lies before them need not be counted. */
export function keptAt(at: BucketsAt, now: number): IsKept {
  const oldest = oldestKept(at, now);
  return (period, bucket) => period === 'all' || bucket >= oldest[period];
}

/** Counts a player of a match in every bucket of the match that is kept. */
export function countPlayer(
  book: Counting,
  gamemode: string,
  buckets: ReturnType<BucketsAt>,
  isKept: IsKept,
  player: CountedPlayer,
): void {
  const { player_key, result, kill_count: kill, death_count: death, time_played: time } = player;
  const counts = { play: 1, win: result === 'win' ? 1 : 0, kill, death, time };
  const modes: readonly BoardMode[] = ['total', groupOf(gamemode) as BoardMode];
  for (const period of PERIODS) {
    if (!isKept(period, buckets[period])) continue;
    for (const mode of modes) book.add(buckets[period], mode, player_key, counts);
  }
}

/** Counts a match for its map: as played, and for each team that has a name. */
export function countResult(book: Counting, mapKey: string, win: string, teams: readonly string[]): void {
  book.addResult(mapKey, '', win === '');
  for (const name of teams) if (name !== '') book.addResult(mapKey, name, name === win);
}
