import { z } from 'zod';
import { idOf } from '#platform/ids.ts';
import { noRecords, recordsOf } from '#store/game/rivals/player-records.ts';
import { bestMap, RECENT_MATCHES, recentMatches } from '#store/game/rivals/recent-matches.ts';
import type { Deps } from './endpoint.ts';
import { count, seconds } from './schemas.ts';
import { METRICS, MODES, placesOfPlayer } from '#store/game/leaderboards/leaderboards.ts';
import { COUNTERS } from '#store/game/statistics-groups.ts';
import { bucketPeriod } from '#store/game/time-buckets.ts';

/** Fields of a player that the specification does not have, which `fields` selects. */

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

const PERIODS = ['month', 'all'] as const;
const WIRES = METRICS.map((metric) => COUNTERS[metric].wire);

const PlayerPlace = z
  .object({
    mode: z.enum(MODES),
    period: z.enum(PERIODS),
    by: z.enum(WIRES).meta({ description: 'The member by which the leaderboard is ordered' }),
    place: z
      .int()
      .min(1)
      .meta({ description: 'One more than the number of players with a higher value; equal ones share it' }),
    of: count.meta({ description: 'The number of players on the leaderboard' }),
    percentile: z
      .number()
      .meta({ description: 'The share of players who are not before this one, above 0 to 100, with two decimals' }),
    value: count,
  })
  .meta({ id: 'PlayerPlace', description: 'A place on a leaderboard' });

export const PlayerPlaces = z.array(PlayerPlace).meta({
  description:
    'The places on the leaderboards of the present month and of all time on which the player has a value, as of their last count, some seconds ago. Private, hidden and erased players have none',
});

export async function playerPlacesWire(
  { db, bucketsAt, clock }: Deps,
  playerKey: number,
): Promise<z.input<typeof PlayerPlaces>> {
  const present = bucketsAt(clock.now());
  const places = await placesOfPlayer(
    db,
    playerKey,
    PERIODS.map((period) => present[period]),
  );
  return places.map(({ bucket, mode, metric, place, of, value }) => ({
    mode,
    period: bucketPeriod(bucket) as (typeof PERIODS)[number],
    by: COUNTERS[metric].wire,
    ...{ place, of, value },
    percentile: Math.round(((of - place + 1) / of) * 10_000) / 100,
  }));
}
