import { UsageError } from '#platform/errors.ts';
import { removeOwner } from '#admin/owners.ts';
import type { AppContext } from '#context/context.ts';
import type { Db } from '#db/db.ts';
import type { Account } from '#store/accounts/accounts.ts';
import type { Application } from '#store/applications/applications.ts';
import { addOwner, ownersOf } from '#store/applications/owners.ts';
import { recordAudit } from '#store/audit/audit.ts';
import { ownerMail } from '#mails/application-mails.ts';
import {
  type Command,
  commandActor,
  inContext,
  type Input,
  commandAbout,
  optionsOf,
  timestampOf,
} from '../command/command.ts';
import { byAccount, byClientId } from '#admin/targets.ts';
import { command } from '../command/operation-command.ts';

const OWNER = { ...optionsOf(byClientId), ...optionsOf(byAccount) };

export const ownerCommands: Command[] = [
  commandAbout(byClientId, 'app owner list', 'List the owners of an application', async ({ db }, { key }) =>
    (await ownersOf(db, key)).map(({ account_id, name, added }) => ({ account_id, name, added: timestampOf(added) })),
  ),
  {
    words: 'app owner add',
    summary: 'Add an owner, who may change the application in the console and is named on its consent page',
    options: OWNER,
    run: inContext(add),
  },
  command(removeOwner, 'app owner remove', {
    row: { options: OWNER, find: requireBoth },
    confirm: ({ application: { client_id, name }, account }) => ({
      act: `This removes ${account.name} from the owners of ${name}.`,
      impact: { client_id, name, owner: account.name },
    }),
    result: ({ db }, { application }) => shown(db, application),
  }),
];

async function add(context: AppContext, input: Input) {
  const { application, account } = await requireBoth(context, input);
  if (!(await addAsOwner(context, application, account)))
    throw new UsageError(`${account.name} already owns ${application.name}.`);
  return await shown(context.db, application);
}

/** Adds an owner, who gets a mail. @returns false if the account is an owner already */
export async function addAsOwner(
  { db, clock, config, mail }: AppContext,
  { key, client_id, name }: Application,
  account: Account,
): Promise<boolean> {
  const act = { action: 'application.owner.add', subject: client_id, label: name, detail: { owner: account.id } };
  const added = await db.transaction(async (tx) => {
    if (!(await addOwner(tx, clock.now(), key, account.id))) return false;
    await recordAudit(tx, clock.now(), commandActor(), act);
    return true;
  });
  if (added) mail.send(ownerMail(config, account, name));
  return added;
}

async function requireBoth({ db }: AppContext, input: Input): Promise<{ application: Application; account: Account }> {
  const application = await input.find(byClientId, db);
  return { application, account: await input.find(byAccount, db) };
}

async function shown(db: Db, { key, client_id, name }: Application): Promise<Record<string, unknown>> {
  return { client_id, name, owners: (await ownersOf(db, key)).map((owner) => owner.name) };
}
