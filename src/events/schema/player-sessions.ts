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
    sender: 'servers',
    needsServer: true,
    ...OF_PLAYER,
  }),
  'player.named': eventType({
    description: 'A player was seen under a name, on a server or not',
    data,
    sender: 'servers',
    needsServer: false,
    ...OF_PLAYER,
  }),
  'player.logout': eventType({
    description: 'A player left the server',
    data,
    sender: 'servers',
    needsServer: true,
    ...OF_PLAYER,
  }),
  'player.known': eventType({
    description: "A player whose id is the event's receipt; from operators only",
    data: known,
    sender: 'operators',
    needsServer: false,
    ...OF_PLAYER,
  }),
};
