import { z } from 'zod';
import type { Account } from '#store/accounts/accounts.ts';
import type { Application } from '#store/applications/applications.ts';
import { ownersOf, removeOwner as remove } from '#store/applications/owners.ts';
import { ofOperators, operation, refuse } from './operation.ts';

export interface Ownership {
  application: Application;
  account: Pick<Account, 'id' | 'name'>;
}

export const removeOwner = operation({
  ...ofOperators,
  name: 'application.owner.remove',
  summary: 'Remove an owner of an application; the last owner cannot be removed',
  subject: ({ application }: Ownership) => ({ subject: application.client_id, label: application.name }),
  fields: z.strictObject({}),
  options: {},
  who: 'owner',
  loss: 'restorable',
  impact: async ({ db }, { application, account }: Ownership) => {
    const owners = await ownersOf(db, application.key);
    const owner = owners.find(({ account_id }) => account_id === account.id);
    if (owner === undefined) return refuse('not_owner');
    return owners.length === 1 ? refuse('only_owner') : { owner };
  },
  run: async ({ tx }, { application, account }) =>
    (await remove(tx, application.key, account.id)) ? undefined : refuse('only_owner'),
  refused: {
    not_owner: ({ application, account }) => `${account.name} does not own ${application.name}.`,
    only_owner: ({ application, account }) =>
      `${account.name} is the only owner of ${application.name}; add another owner first.`,
  },
  detail: (_fields, _result, { account }) => ({ owner: account.id }),
});
