import { z } from 'zod';
import { eventType, itsPlayer, PLAIN } from './event-type.ts';
import { EXAMPLE_PLAYER, player, unnamedPlayer } from './members.ts';

const data = z.strictObject({ player });
const known = z.strictObject({ player: unnamedPlayer });

export const SESSION_EVENTS = {
  'player.login': eventType({
    description: 'A player joined the server',
    data,
    example: { player: EXAMPLE_PLAYER },
    sender: 'servers',
    needsServer: true,
    ...PLAIN,
    players: itsPlayer,
  }),
  'player.named': eventType({
    description: 'A player was seen under a name, on a server or not',
    data,
    example: { player: EXAMPLE_PLAYER },
    sender: 'servers',
    needsServer: false,
    ...PLAIN,
    players: itsPlayer,
  }),
  'player.logout': eventType({
    description: 'A player left the server',
    data,
    example: { player: EXAMPLE_PLAYER },
    sender: 'servers',
    needsServer: true,
    ...PLAIN,
    players: itsPlayer,
  }),
  'player.known': eventType({
    description: "A player whose id is the event's receipt; from operators only",
    data: known,
    example: { player: EXAMPLE_PLAYER },
    sender: 'operators',
    needsServer: false,
    ...PLAIN,
    players: itsPlayer,
  }),
};
