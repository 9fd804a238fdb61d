import { UsageError } from '#platform/errors.ts';
import type { Queryable } from '#db/db.ts';
import { type Account, findAccount } from '#store/accounts/accounts.ts';
import { type Application, applicationByClientId, managedApplication } from '#store/applications/applications.ts';
import type { Target } from './operation.ts';

/** Finds an account by id, name or e-mail address. @throws UsageError if there is none */
export async function requireAccount(db: Queryable, text: string): Promise<Account> {
  const account = await findAccount(db, text);
  if (account !== undefined) return account;
  throw new UsageError(`No account has the id, name or e-mail address "${text}"; see: scorehall account list`);
}

export const byAccount: Target<Account> = {
  option: 'account',
  value: 'WHO',
  help: 'The id, name or e-mail address of the account',
  find: requireAccount,
};

/** @throws UsageError if no application has the Client ID, or if it is one of the service's own applications */
export async function requireApplication(db: Queryable, clientId: string): Promise<Application> {
  const application = await managedApplication(db, clientId);
  if (application !== undefined) return application;
  if ((await applicationByClientId(db, clientId)) !== undefined) {
    throw new UsageError(`The Client ID ${clientId} belongs to the service itself and cannot be changed.`);
  }
  throw new UsageError(`No application has the Client ID ${clientId}; see: scorehall app list`);
}

export const byClientId: Target<Application> = {
  option: 'client-id',
  value: 'ID',
  help: 'The Client ID of the application',
  find: requireApplication,
};

/** How an operation on an application finds it, and how the audit log names it. */
export const applicationTarget = {
  target: byClientId,
  subject: ({ client_id, name }: Application) => ({ subject: client_id, label: name }),
};
