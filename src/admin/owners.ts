import { z } from 'zod';
import type { Account } from '#store/accounts/accounts.ts';
import type { Application } from '#store/applications/applications.ts';
import { ownersOf, removeOwner as remove } from '#store/applications/owners.ts';
import { operation, refuse } from './operation.ts';

export interface Ownership {
  application: Application;
  account: Pick<Account, 'id' | 'name'>;
}

/** Removes an owner of an application, but not the only one. */
export const removeOwner = operation({
  name: 'application.owner.remove',
  subject: ({ application }: Ownership) => ({ subject: application.client_id, label: application.name }),
  fields: z.strictObject({}),
  who: 'owner',
  loss: 'restorable',
  reauthenticate: 'never',
  changes: [],
  impact: async ({ db }, { application, account }: Ownership) => {
    const owners = await ownersOf(db, application.key);
    const owner = owners.find(({ account_id }) => account_id === account.id);
    if (owner === undefined) return refuse('not_owner');
    return owners.length === 1 ? refuse('only_owner') : { owner };
  },
  run: async ({ tx }, { application, account }) =>
    (await remove(tx, application.key, account.id)) ? undefined : refuse('only_owner'),
  detail: (_fields, _result, { account }) => ({ owner: account.id }),
});
