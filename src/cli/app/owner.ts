import { UsageError } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import type { Account } from '#store/accounts/accounts.ts';
import type { Application } from '#store/applications/applications.ts';
import { addOwner, isOwner, type Owner, ownersOf, removeOwner } from '#store/applications/owners.ts';
import { ownerMail } from '#console/mails.ts';
import {
  ACCOUNT,
  CLIENT,
  type Command,
  type Input,
  print,
  printTable,
  required,
  withAppContext,
} from '../command/command.ts';
import { requireAccount, requireApplication } from '../command/lookup.ts';

const OWNER = { ...CLIENT, ...ACCOUNT };

export const ownerCommands: Command[] = [
  { words: 'app owner list', summary: 'List the owners of an application', options: CLIENT, run: list },
  {
    words: 'app owner add',
    audit: { action: 'application.owner.add', about: 'client-id' },
    summary: 'Add an owner, who may change the application in the console and is named on its consent page',
    options: OWNER,
    run: add,
  },
  {
    words: 'app owner remove',
    audit: { action: 'application.owner.remove', about: 'client-id' },
    summary: 'Remove an owner of an application; the last owner cannot be removed',
    options: OWNER,
    run: remove,
  },
];

async function list(input: Input): Promise<void> {
  await withAppContext(input, async ({ db }) => {
    const { key } = await requireApplication(db, required(input, 'client-id'));
    printTable(input, (await ownersOf(db, key)).map(wire));
  });
}

async function add(input: Input): Promise<void> {
  await withAppContext(input, async ({ db, clock, config, mail }) => {
    const { application, account } = await requireBoth(db, input);
    if (!(await addOwner(db, clock.now(), application.key, account.id)))
      throw new UsageError(`${account.name} already owns ${application.name}.`);
    mail.send(ownerMail(config, account, application.name));
    await show(db, input, application);
  });
}

async function remove(input: Input): Promise<void> {
  await withAppContext(input, async ({ db }) => {
    const { application, account } = await requireBoth(db, input);
    if (!(await isOwner(db, application.key, account.id)))
      throw new UsageError(`${account.name} does not own ${application.name}.`);
    if (!(await removeOwner(db, application.key, account.id)))
      throw new UsageError(`${account.name} is the only owner of ${application.name}; add another owner first.`);
    await show(db, input, application);
  });
}

async function requireBoth(db: Db, input: Input): Promise<{ application: Application; account: Account }> {
  const [clientId, account] = [required(input, 'client-id'), required(input, 'account')];
  return { application: await requireApplication(db, clientId), account: await requireAccount(db, account) };
}

async function show(db: Db, input: Input, { key, client_id, name }: Application): Promise<void> {
  print(input, { client_id, name, owners: (await ownersOf(db, key)).map((owner) => owner.name) });
}

function wire({ account_id, name, added }: Owner): Record<string, unknown> {
  return { account_id, name, added: new Date(added).toISOString() };
}
