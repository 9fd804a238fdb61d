import { z } from 'zod';
import { eventType, itsPlayer, PLAIN } from './event-type.ts';
import { EXAMPLE_PLAYER, name, player, text } from './members.ts';

const data = z.strictObject({
  map: name,
  version: text(64).optional().meta({ description: 'Left out: the version that is published now' }),
  player,
  rate: z.int().min(1).max(5),
});

export const MAP_RATING_EVENTS = {
  'map.rated': eventType({
    description: "A player's rating of a map version, one a player, changeable",
    data,
    example: { map: 'Twin Peaks', player: EXAMPLE_PLAYER, rate: 4 },
    ...PLAIN,
    sender: 'servers',
    players: itsPlayer,
  }),
};
