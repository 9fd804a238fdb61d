import { z } from 'zod';
import { eventType, itsPlayer, PLAIN } from './event-type.ts';
import { EXAMPLE_PLAYER, player, unnamedPlayer } from './members.ts';

const data = z.strictObject({ player });
const known = z.strictObject({ player: unnamedPlayer });

const OF_PLAYER = { ...PLAIN, example: { player: EXAMPLE_PLAYER }, players: itsPlayer };

export const SESSION_EVENTS = {
  'player.login': eventType({
    description: 'A player joined the server',
    data,
    ...OF_PLAYER,
    sender: 'servers',
    needsServer: true,
  }),
  'player.named': eventType({
    description: 'A player was seen under a name, on a server or not',
    data,
    ...OF_PLAYER,
    sender: 'servers',
  }),
  'player.logout': eventType({
    description: 'A player left the server',
    data,
    ...OF_PLAYER,
    sender: 'servers',
    needsServer: true,
  }),
  'player.known': eventType({
    description: "A player whose id is the event's receipt; from operators only",
    data: known,
    ...OF_PLAYER,
    sender: 'operators',
  }),
};
