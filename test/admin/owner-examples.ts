import { addOwner } from '#store/applications/owners.ts';
import { account } from '#test/support/builders.ts';
import { type ApplicationTwin, inFile, ofClient, registered } from './application-examples.ts';
import type { Example } from './examples.ts';

/** Removes the first of two owners. */
const remove: Example<ApplicationTwin & { owners: [id: string, name: string][] }> = {
  prepare: async (context, name) => {
    const twin = await registered(context, name);
    const owners: [string, string][] = [];
    for (const owner of [`A${name}`, `B${name}`]) {
      const { id } = await account(context, owner);
      await addOwner(context.db, context.clock.now(), twin.key, id);
      owners.push([id, owner]);
    }
    const words = Object.fromEntries(owners.map(([id], index) => [id, `OWNER${index}`]));
    return { ...twin, owners, words: { ...twin.words, ...words } };
  },
  page: ({ client_id, owners }) => [`/applications/${client_id}/owners/remove`, { account_id: owners[0]![0] }],
  command: (twin) => ['app', 'owner', 'remove', ...ofClient(twin), '--account', twin.owners[0]![1], '--yes'],
  file: (twin) => inFile(twin, { owners: [twin.owners[1]![1]] }),
};

export const OWNER_EXAMPLES = { 'application.owner.remove': remove };
