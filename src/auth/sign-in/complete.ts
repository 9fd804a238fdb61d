import type { Account } from '#store/accounts/accounts.ts';
import { lockSignIns } from '#store/accounts/account-sessions.ts';
import { record } from '../audit.ts';
import type { Context, Deps } from '../deps.ts';
import { rememberThisDevice } from '../device.ts';
import type { Methods } from '../factors/methods.ts';
import { signInPath } from '../layout.ts';
import { loginResult, signIn } from '../session.ts';
import { finish, type Interaction } from './interaction.ts';

/** A person who has authenticated completely. */
export interface Authenticated {
  /** As read before the person authenticated. */
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
  // A password or a factor that has been replaced since it was checked neither signs in nor makes the browser known.
  const isCurrent = await deps.db.transaction(async (tx) => {
    if (!(await lockSignIns(tx, account))) return false;
    await rememberThisDevice(c, deps, tx, account.id);
    await record(tx, c, deps, account, { action: 'session.start', detail });
    return true;
  });
  if (!isCurrent) return c.redirect(signInPath(interaction?.uid), 303);
  if (interaction === undefined)
    return c.redirect((await signIn(c, deps, account, methods, byMail)) ? next : '/sign-in', 303);
  // Entering name and password, or using a passkey, has selected the account.
  return await finish(c, deps, { login: loginResult(account, methods), select_account: {} });
}
