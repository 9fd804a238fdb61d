import { z } from 'zod';
import { eventType, NO_CHECKS, noPlayers, OTHER_WEIGHT } from './event-type.ts';
import { name } from './members.ts';

const data = z.strictObject({ maps: z.array(name).max(2_000) });

export const ROTATION_EVENTS = {
  'rotation.changed': eventType({
    description: 'The maps a server plays, in order',
    data,
    example: { maps: ['Twin Peaks', 'Dusk Harbour'] },
    sender: 'servers',
    needsServer: true,
    stored: 'whole',
    pseudonyms: 'always',
    weight: ({ maps }) => OTHER_WEIGHT + maps.length,
    checks: NO_CHECKS,
    players: noPlayers,
  }),
};
