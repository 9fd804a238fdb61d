import { UsageError } from '#platform/errors.ts';
import type { Queryable } from '#db/db.ts';
import { type Account, findAccount } from '#store/accounts/accounts.ts';
import { type Application, applicationByClientId, managedApplication } from '#store/applications/applications.ts';
import { ACCOUNT, CLIENT } from './command.ts';
import type { RowOption } from './operation-command.ts';

/** @throws UsageError if no application has the Client ID, or if it is one of the service's own applications */
export async function requireApplication(db: Queryable, clientId: string): Promise<Application> {
  const application = await managedApplication(db, clientId);
  if (application !== undefined) return application;
  if ((await applicationByClientId(db, clientId)) !== undefined) {
    throw new UsageError(`The Client ID ${clientId} belongs to the service itself and cannot be changed.`);
  }
  throw new UsageError(`No application has the Client ID ${clientId}; see: scorehall app list`);
}

/** The option of every operation on one application. */
export const byClientId: RowOption<Application> = {
  options: CLIENT,
  find: ({ db }, input) => requireApplication(db, input.required('client-id')),
};

/** Finds an account by id, name or e-mail address. @throws UsageError if there is none */
export async function requireAccount(db: Queryable, text: string): Promise<Account> {
  const account = await findAccount(db, text);
  if (account !== undefined) return account;
  throw new UsageError(`No account has the id, name or e-mail address "${text}"; see: scorehall account list`);
}

/** The option of every operation on one account. */
export const byAccount: RowOption<Account> = {
  options: ACCOUNT,
  find: ({ db }, input) => requireAccount(db, input.required('account')),
};

export const lastOperatorMessage = (name: string): string =>
  `${name} is the last operator and has to stay one; make somebody else an operator first: scorehall account role --help`;
