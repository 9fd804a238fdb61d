import { z } from 'zod';
import { counterValues } from './counters.ts';
import { eventType, fewRows, itsPlayer, NO_CHECKS, parsed } from './event-type.ts';
import { count, EXAMPLE_PLAYER, text, unnamedPlayer } from './members.ts';
import { implausibleStatistics } from './plausibility.ts';

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
    sender: 'servers',
    needsServer: false,
    stored: 'whole',
    pseudonyms: 'always',
    weight: fewRows,
    checks: { ...NO_CHECKS, implausible: implausibleStatistics },
    prepared: parsed(data),
    players: itsPlayer,
  }),
};
