import { z } from 'zod';
import { eventType, fewRows, itsPlayer, NO_CHECKS, parsed } from './event-type.ts';
import { EXAMPLE_PLAYER, player, unnamedPlayer } from './members.ts';

const data = z.strictObject({ player });
const known = z.strictObject({ player: unnamedPlayer });

export const playerLogin = eventType({
  description: 'A player joined the server',
  data,
  example: { player: EXAMPLE_PLAYER },
  sender: 'servers',
  needsServer: true,
  stored: 'whole',
  pseudonyms: 'always',
  weight: fewRows,
  checks: NO_CHECKS,
  prepared: parsed(data),
  players: itsPlayer,
});

export const playerLogout = eventType({
  description: 'A player left the server',
  data,
  example: { player: EXAMPLE_PLAYER },
  sender: 'servers',
  needsServer: true,
  stored: 'whole',
  pseudonyms: 'always',
  weight: fewRows,
  checks: NO_CHECKS,
  prepared: parsed(data),
  players: itsPlayer,
});

export const playerNamed = eventType({
  description: 'A player was seen under a name, on a server or not',
  data,
  example: { player: EXAMPLE_PLAYER },
  sender: 'servers',
  needsServer: false,
  stored: 'whole',
  pseudonyms: 'always',
  weight: fewRows,
  checks: NO_CHECKS,
  prepared: parsed(data),
  players: itsPlayer,
});

export const playerKnown = eventType({
  description: "A player whose id is the event's receipt; from operators only",
  data: known,
  example: { player: EXAMPLE_PLAYER },
  sender: 'operators',
  needsServer: false,
  stored: 'whole',
  pseudonyms: 'always',
  weight: fewRows,
  checks: NO_CHECKS,
  prepared: parsed(known),
  players: itsPlayer,
});
