import { z } from 'zod';
import { eventType, itsPlayer, PLAIN } from './event-type.ts';
import { EXAMPLE_PLAYER, player, text } from './members.ts';

const data = z.strictObject({
  player,
  code: text(32, 1).meta({ description: 'As the player typed it; case, blanks and dashes do not count' }),
});

export const LINK_EVENTS = {
  'account.link': eventType({
    description: 'A player typed the code that the account page shows: game account and account belong together',
    data,
    example: { player: EXAMPLE_PLAYER, code: 'ABCD-EFGH' },
    ...PLAIN,
    sender: 'servers',
    // The code is secret, so the ledger stores the event as an observation of the player's name.
    stored: { without: ['code'], as: 'player.named' },
    pseudonyms: 'stored',
    players: itsPlayer,
  }),
};
