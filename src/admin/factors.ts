import { factorCodeCommand } from '#context/command-name.ts';
import { resetRefusal, startReset } from '#store/accounts/factor-resets.ts';
import { factorsOf } from '#store/accounts/factors.ts';
import { onAccount } from './accounts.ts';
import { operation } from './operation.ts';

/**
 * Asks for the reset of a player's second factors, which takes effect a day later unless the owner stops it. Console and command
 * mail the owner. Those of staff are reset by a command on the server alone, so that no session of the console can do it.
 */
export const resetFactors = operation({
  ...onAccount,
  name: 'account.reset_factors',
  summary: 'Remove the second factors of a player after a day, in which the owner can stop it',
  who: 'moderator',
  loss: 'permanent',
  reauthenticate: 'always',
  impact: async ({ db }, account) => {
    const refused = await resetRefusal(db, account);
    return refused === undefined ? await factorsOf(db, account.id) : { refused };
  },
  run: ({ tx, clock }, { id }) => startReset(tx, clock.now(), id),
  refused: {
    staff: ({ name, role }) =>
      `${name} is ${role === 'operator' ? 'an operator' : 'a moderator'}; use: ${factorCodeCommand(name)}`,
    no_factor: ({ name }) => `${name} has no passkey and no authenticator app.`,
    waiting: ({ name }) => `A reset for ${name} waits already.`,
  },
  detail: (_, { effective }) => ({ effective: new Date(effective).toISOString() }),
});
