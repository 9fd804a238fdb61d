import { UsageError } from '#platform/errors.ts';
import type { Queryable } from '#db/db.ts';
import { type Account, findAccount } from '#store/accounts/accounts.ts';
import { type Application, applicationByClientId, managedApplication } from '#store/applications/applications.ts';

/** What an option names, or the sentence that says where to look. */
export async function requireApplication(db: Queryable, clientId: string): Promise<Application> {
  const application = await managedApplication(db, clientId);
  if (application !== undefined) return application;
  if ((await applicationByClientId(db, clientId)) !== undefined) {
    throw new UsageError(`The Client ID ${clientId} is the service's own; nobody may change it.`);
  }
  throw new UsageError(`No application has the Client ID ${clientId}; see: scorehall app list`);
}

/** By id, name or e-mail address. */
export async function requireAccount(db: Queryable, text: string): Promise<Account> {
  const account = await findAccount(db, text);
  if (account !== undefined) return account;
  throw new UsageError(`There is no account "${text}"; see: scorehall account list`);
}
