import type { Account } from '#store/accounts/accounts.ts';
import { record } from '../audit.ts';
import type { Context, Deps } from '../deps.ts';
import { rememberThisDevice } from '../device.ts';
import type { Methods } from '../factors/methods.ts';
import { signIn } from '../session.ts';
import { finish, type Interaction } from './interaction.ts';

/** A person who has authenticated completely. */
export interface Authenticated {
  account: Account;
  methods: Methods;
  /** Whether the sign-in began by a mailed link. */
  byMail?: boolean;
  /** The interaction of an application's sign-in. */
  interaction?: Interaction | undefined;
  /** Where a sign-in without an application leads. */
  next?: string;
}

/** Signs the person in, and continues with the application or the account page. */
export async function completeSignIn(
  c: Context,
  deps: Deps,
  { account, methods, byMail = false, interaction, next = '/account' }: Authenticated,
): Promise<Response> {
  const detail = byMail ? { link: true, methods: methods.join(' ') } : { methods: methods.join(' ') };
  record(c, deps, account, { action: 'session.start', detail });
  if (interaction === undefined) {
    await signIn(c, deps, account.id, methods, byMail);
    return c.redirect(next, 303);
  }
  await rememberThisDevice(c, deps, account.id);
  // Entering name and password, or using a passkey, has selected the account.
  return await finish(c, deps, { login: { accountId: account.id, amr: [...methods] }, select_account: {} });
}
