import type { Account } from '#store/accounts/accounts.ts';
import { resetRefusal, startReset } from '#store/accounts/factor-resets.ts';
import { factorsOf } from '#store/accounts/factors.ts';
import { withoutFields } from './fields.ts';
import { operation } from './operation.ts';

/**
 * Asks for the reset of a player's second factors, which takes effect a day later unless the owner stops it. Console and command
 * mail the owner. Those of staff are reset by a command on the server alone, so that no session of the console can do it.
 */
export const resetFactors = operation({
  name: 'account.reset_factors',
  subject: ({ id, name }: Account) => ({ subject: id, label: name }),
  ...withoutFields,
  who: 'moderator',
  loss: 'permanent',
  reauthenticate: 'always',
  changes: [],
  impact: async ({ db }, account) => {
    const refused = await resetRefusal(db, account);
    return refused === undefined ? await factorsOf(db, account.id) : { refused };
  },
  run: ({ tx, clock }, { id }) => startReset(tx, clock.now(), id),
  detail: (_, { effective }) => ({ effective: new Date(effective).toISOString() }),
});
