import { z } from 'zod';
import { idOf } from '#platform/ids.ts';
import { noRecords, recordsOf } from '#store/game/rivals/player-records.ts';
import { bestMap, RECENT_MATCHES, recentMatches } from '#store/game/rivals/recent-matches.ts';
import type { Deps } from './endpoint.ts';
import { count, seconds } from './schemas.ts';

const FORM = 10;

const record = (what: string) => ({ description: `Most ${what} in one match; 0 without any` });
const recordMatch = z.string().meta({ description: 'The id of that match; empty without one' });

/** The field `form` of a player. */
export const Form = z
  .object({
    results: z
      .array(z.enum(['win', 'lose', 'draw']))
      .meta({ description: `The results of the newest ${FORM} matches that count, newest first` }),
    streak: z.int().meta({ description: 'The present streak: victories in a row; defeats as a negative number' }),
    win_streak: count.meta({ description: 'The longest streak of victories' }),
    lose_streak: count.meta({ description: 'The longest streak of defeats' }),
    best_map: z.string().meta({
      description: `The map with the most victories in the newest ${RECENT_MATCHES} counted matches; empty without a victory`,
    }),
    best_map_play_count: count,
    best_map_win_count: count,
    kill_count: count.meta(record('kills')),
    kill_match_id: recordMatch,
    score: count.meta(record('points')),
    score_match_id: recordMatch,
    time_played: seconds.meta({ description: 'Most seconds in one match; 0 without any' }),
    time_match_id: recordMatch,
  })
  .meta({ id: 'PlayerForm' });

const idOrEmpty = (match: number | null): string => (match === null ? '' : idOf(match));

export async function formWire({ db }: Deps, player: number): Promise<z.input<typeof Form>> {
  const [recent, records] = await Promise.all([recentMatches(db, player), recordsOf(db, [player])]);
  const best = bestMap(recent);
  const { streak, win_streak, lose_streak, kill, score, time, ...matches } = records.get(player) ?? noRecords();
  return {
    results: recent.slice(0, FORM).map(({ result }) => result),
    ...{ streak, win_streak, lose_streak },
    best_map: best?.map ?? '',
    best_map_play_count: best?.play ?? 0,
    best_map_win_count: best?.win ?? 0,
    kill_count: kill,
    kill_match_id: idOrEmpty(matches.kill_match),
    score,
    score_match_id: idOrEmpty(matches.score_match),
    time_played: time,
    time_match_id: idOrEmpty(matches.time_match),
  };
}
