import { z } from 'zod';
import { idOf, keyOf } from '#platform/ids.ts';
import { invalidRequest, notFound } from '#http/errors.ts';
import {
  type Board,
  BOARD_COUNTERS,
  type Leader,
  leaders,
  leadersAround,
  METRICS,
  MODES,
} from '#store/game/leaderboards/leaderboards.ts';
import { findPlayer } from '#store/game/players.ts';
import { COUNTERS } from '#store/game/statistics-groups.ts';
import { back, type Period, PERIODS, RETAINED_BUCKETS } from '#store/game/time-buckets.ts';
import { audienceOf } from './deleted-players.ts';
import { type Endpoint, endpoint, type Deps, filter, paging } from './endpoint.ts';
import type { RequestAboutPlayer } from './players.ts';
import { count, id, link, seconds } from './schemas.ts';

/** The member of an entry by which a leaderboard can be ordered, and its metric. */
const ORDERS = Object.fromEntries(METRICS.map((metric) => [COUNTERS[metric].wire, metric]));

const counters = Object.fromEntries(
  BOARD_COUNTERS.map((counter) => [COUNTERS[counter].wire, COUNTERS[counter].unit === 'seconds' ? seconds : count]),
);

const Entry = z
  .looseObject({
    rank: z
      .int()
      .min(1)
      .meta({ description: 'One more than the number of players with a higher value; equal ones share it' }),
    id,
    uuid: z.string(),
    name: z.string(),
    ...counters,
    permalink_url: link,
  })
  .meta({ id: 'LeaderboardEntry', description: 'A player in a leaderboard. Members may be added' });

/** The rows above and below the player of `around`. */
const AROUND = 5;

const after = z
  .string()
  .transform((text) => {
    const [, value, last] = /^(\d{1,15})\.([0-9a-z]{11})$/.exec(text) ?? [];
    return { value: Number(value), key: keyOf(last ?? '') };
  })
  .refine(
    ({ key }) => key !== undefined,
    'must be the value that orders the list and the id of the last entry, with a dot between them, such as 12.0000000002a',
  )
  .transform(({ value, key }) => ({ value, key: key! }))
  .optional()
  .meta({
    description:
      'Only entries after this one: the value that orders the list and the `id` of the last entry of the page before, such as `12.0000000002a`',
  });

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
      after,
      around: filter(
        `A UUID or player name: the player with ${AROUND} entries above and ${AROUND} below, whatever \`limit\` is; 404 for a player without a row. Not with after`,
      ),
      limit: paging.limit,
    },
    response: z.array(Entry),
    handle: async ({ deps, caller, about, parameters, query: { by, ago, after, around, limit } }) => {
      const [mode, period] = [known('mode', MODES, parameters[0]), known('period', PERIODS, parameters[1])];
      const present = deps.bucketsAt(deps.clock.now())[period];
      checkAgo(period, ago);
      if (around !== undefined && after !== undefined) throw invalidRequest('around must not be given with after.');
      const board = { bucket: back(present, ago), mode, metric: ORDERS[by]! };
      const found =
        around === undefined
          ? await leaders(deps.db, { ...board, after, limit })
          : await entriesAround({ deps, caller, about, id: around }, board);
      return found.map((leader) => wire(deps, leader));
    },
  }),
];

async function entriesAround(request: RequestAboutPlayer, board: Board): Promise<Leader[]> {
  const { deps, about, id: text } = request;
  const player = await findPlayer(deps.db, text, await audienceOf(request));
  if (player !== undefined) about.add(player.uuid);
  const found = player === undefined ? [] : await leadersAround(deps.db, board, player.key, AROUND);
  if (found.length === 0) throw notFound('This leaderboard has no player with this UUID or name.');
  return found;
}

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

function wire({ site }: Deps, leader: Leader): z.input<typeof Entry> {
  const { key, uuid, name, place: rank } = leader;
  const values = Object.fromEntries(BOARD_COUNTERS.map((counter) => [COUNTERS[counter].wire, leader[counter]]));
  return { rank, id: idOf(key), uuid, name, ...values, permalink_url: `${site}/players/${uuid}` };
}
