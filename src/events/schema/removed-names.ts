import { z } from 'zod';
import { eventType, itsPlayer, PLAIN } from './event-type.ts';
import { EXAMPLE_UUID, text, timestamp, uuid } from './members.ts';

const data = z.strictObject({
  player: z.strictObject({ uuid }),
  hash: text(128, 1).meta({
    description: 'The hash of the name under the secret key of the network, which it needs again',
  }),
  until: timestamp.meta({ description: 'Reports up to this time do not bring the name back' }),
});

export const REMOVED_NAME_EVENTS = {
  'player.name_removed': eventType({
    description: 'A former name of a player was removed; written by `export events`, from operators only',
    data,
    example: {
      player: { uuid: EXAMPLE_UUID },
      hash: 'x2kcm1pVbqOZ7mJf3sGQvw7fHhJmXkq0cWv5gq0Jt1c',
      until: '2026-03-01T12:00:00.000Z',
    },
    ...PLAIN,
    stored: 'never',
    sender: 'operators',
    players: itsPlayer,
  }),
};
