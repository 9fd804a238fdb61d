import { z } from 'zod';
import { counterValues, rowsOfCounters } from './counters.ts';
import { eventType, itsPlayer, NO_CHECKS, OTHER_WEIGHT, PLAIN } from './event-type.ts';
import { count, EXAMPLE_PLAYER, text, unnamedPlayer } from './members.ts';
import { type Problem, problemOf } from './problems.ts';

const statistics = z.strictObject({
  player: unnamedPlayer,
  gamemode: z.enum(['factions', 'vanilla']).meta({
    description:
      'factions: counters are what was added since the last event; vanilla: what the game itself has counted so far, kept outside all field groups',
  }),
  kill_count: count.default(0),
  death_count: count.default(0),
  time_played: count.default(0),
  power: z.number().min(-1_000_000_000).max(1_000_000_000).default(0),
  faction: text(64).default(''),
  faction_id: text(64).default(''),
  faction_role: text(64).default(''),
  counters: counterValues.optional(),
});
const data = statistics.refine(({ gamemode, counters }) => gamemode !== 'vanilla' || counters === undefined, {
  path: ['counters'],
  message: 'must be left out with the gamemode vanilla, whose totals are not counted',
});

export const STATISTICS_EVENTS = {
  'player.statistics': eventType({
    description: 'Statistics of modes without matches',
    data,
    example: {
      player: EXAMPLE_PLAYER,
      gamemode: 'factions',
      kill_count: 3,
      death_count: 1,
      time_played: 900,
      power: 7.5,
      faction: 'Tide',
      faction_id: 'tide',
      faction_role: 'officer',
    },
    ...PLAIN,
    sender: 'servers',
    weight: ({ counters }) => OTHER_WEIGHT + rowsOfCounters(counters),
    checks: { ...NO_CHECKS, implausible: implausibleStatistics },
    players: itsPlayer,
  }),
};

const DAY_S = 86_400;
const YEAR_S = 366 * DAY_S;
/** The largest plausible increase between two statistics events, and the largest total of a player in the game itself. */
const MAX_INCREASE = { kill_count: 100_000, death_count: 100_000, time_played: 31 * DAY_S };
const MAX_TOTAL = { kill_count: 10_000_000, death_count: 10_000_000, time_played: 20 * YEAR_S };

function implausibleStatistics(data: z.output<typeof statistics>): Problem[] {
  const [most, kind] = data.gamemode === 'vanilla' ? [MAX_TOTAL, 'total'] : [MAX_INCREASE, 'increase'];
  const members = (Object.keys(most) as (keyof typeof most)[]).filter((member) => data[member] > most[member]);
  const unit = { kill_count: '', death_count: '', time_played: ' s' };
  return members.map((member) =>
    problemOf(
      `is ${data[member]}${unit[member]}, more than is plausible as the ${kind} of one player`,
      `data.${member}`,
    ),
  );
}
