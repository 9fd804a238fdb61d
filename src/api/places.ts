import { z } from 'zod';
import { METRICS, MODES, placesOfPlayer } from '#store/game/leaderboards/leaderboards.ts';
import { COUNTERS } from '#store/game/statistics-groups.ts';
import { bucketPeriod } from '#store/game/time-buckets.ts';
import type { Deps } from './endpoint.ts';
import { count } from './schemas.ts';

/** The places of a player on the leaderboards, which `fields=places` selects. */

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
