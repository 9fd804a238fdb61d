import { z } from 'zod';
import { eventType, PLAIN } from './event-type.ts';
import { EXAMPLE_UUID, uuid } from './members.ts';

const data = z.strictObject({
  player: uuid,
  profile: z.boolean().meta({ description: 'Whether statistics, matches and places are private' }),
  online: z.boolean().meta({ description: 'Whether the online state and the last login are' }),
  names: z.boolean().meta({ description: 'Whether former names are' }),
});

export const PRIVACY_EVENTS = {
  'player.privacy': eventType({
    description: 'What a person keeps private from now on, by the account page; in exports, from operators only',
    data,
    example: { player: EXAMPLE_UUID, profile: true, online: false, names: false },
    ...PLAIN,
    sender: 'operators',
  }),
};
