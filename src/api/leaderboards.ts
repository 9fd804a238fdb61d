import { z } from 'zod';
import { idOf } from '#platform/ids.ts';
import { invalidRequest, notFound } from '#http/errors.ts';
import { BOARD_COUNTERS, type Leader, leaders, METRICS, MODES } from '#store/game/leaderboards/leaderboards.ts';
import { COUNTERS } from '#store/game/statistics-groups.ts';
import { back, type Period, PERIODS, RETAINED_BUCKETS } from '#store/game/time-buckets.ts';
import { type Endpoint, endpoint, type Deps, paging } from './endpoint.ts';
import { count, id, link, seconds } from './schemas.ts';

/** The member of an entry by which a leaderboard can be ordered, and its metric. */
const ORDERS = Object.fromEntries(METRICS.map((metric) => [COUNTERS[metric].wire, metric]));

const counters = Object.fromEntries(
  BOARD_COUNTERS.map((counter) => [COUNTERS[counter].wire, COUNTERS[counter].unit === 'seconds' ? seconds : count]),
);

const Entry = z
  .looseObject({
    rank: z.int().min(1).meta({ description: 'The place in the list, from 1' }),
    id,
    uuid: z.string(),
    name: z.string(),
    ...counters,
    permalink_url: link,
  })
  .meta({ id: 'LeaderboardEntry', description: 'A player in a leaderboard. Members may be added' });

export const leaderboards: Endpoint[] = [
  endpoint({
    path: '/v1/leaderboards/:mode/:period',
    tag: 'Leaderboard',
    summary: 'The players of a leaderboard, highest value first',
    parameters: {
      mode: z.enum(MODES).meta({ description: 'A field group for which matches count, or `total` for all' }),
      period: z
        .enum(PERIODS)
        .meta({ description: "The current period in the network's time zone; weeks begin on Monday" }),
    },
    query: {
      by: z
        .enum(
          Object.keys(ORDERS),
          `must be ${new Intl.ListFormat('en', { type: 'disjunction' }).format(Object.keys(ORDERS))}`,
        )
        .default(COUNTERS[METRICS[0]].wire)
        .meta({ description: 'The member that orders the list; players without any are left out' }),
      ago: z
        .string()
        .regex(/^\d{1,3}$/, 'must be a whole number from 0')
        .transform(Number)
        .default(0)
        .meta({ description: 'How many periods before the current one' }),
      limit: paging.limit,
    },
    response: z.array(Entry),
    handle: async ({ deps, parameters, query: { by, ago, limit } }) => {
      const [mode, period] = [known('mode', MODES, parameters[0]), known('period', PERIODS, parameters[1])];
      const present = deps.bucketsAt(deps.clock.now())[period];
      checkAgo(period, ago);
      const found = await leaders(deps.db, { bucket: back(present, ago), mode, metric: ORDERS[by]!, limit });
      return found.map((leader, index) => wire(deps, leader, index + 1));
    },
  }),
];

function known<const T extends string>(name: string, values: readonly T[], text: string | undefined): T {
  const found = values.find((value) => value === text);
  if (found === undefined)
    throw notFound(`There is no leaderboard with this ${name}; it must be one of ${values.join(', ')}.`);
  return found;
}

function checkAgo(period: Period, ago: number): void {
  const oldest = period === 'all' ? 0 : RETAINED_BUCKETS[period] - 1;
  if (ago > oldest) throw invalidRequest(`ago must be at most ${oldest} for the period ${period}.`);
}

function wire({ site }: Deps, leader: Leader, rank: number): z.input<typeof Entry> {
  const { key, uuid, name } = leader;
  const values = Object.fromEntries(BOARD_COUNTERS.map((counter) => [COUNTERS[counter].wire, leader[counter]]));
  return { rank, id: idOf(key), uuid, name, ...values, permalink_url: `${site}/players/${uuid}` };
}
