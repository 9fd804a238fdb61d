import { clientNetwork } from '#http/client-network.ts';
import { nameKey } from '#text/text.ts';
import type { Context, Deps } from './deps.ts';

type LimitedAction = 'register' | 'recover' | 'email' | 'end' | 'export' | 'password';

/**
 * Counts an attempt and returns whether it is allowed. Attempts for an account are counted per network, so that an
 * attacker elsewhere cannot lock the owner out, and over all networks.
 * @param account name, id or e-mail address that the attempt is about
 */
export async function admitAttempt(c: Context, deps: Deps, action: LimitedAction, account?: string): Promise<boolean> {
  const network = c.get('client').address;
  if (account === undefined) return (await deps.limits.count(action, { network })).allowed;
  const subjects = { network, accountInNetwork: accountInNetwork(c, deps, account), account: hashOf(deps, account) };
  return (await deps.limits.count(action, subjects)).allowed;
}

/** Resets the count of this account and network, after a successful attempt. */
export async function forgetAttempts(c: Context, deps: Deps, action: 'password', account: string): Promise<void> {
  await deps.limits.clear(action, { accountInNetwork: accountInNetwork(c, deps, account) });
}

const accountInNetwork = (c: Context, deps: Deps, account: string): string =>
  `${clientNetwork(c.get('client').address)} ${hashOf(deps, account)}`;

/** Normalised like names and e-mail addresses are compared, so that another spelling shares the limit. */
const hashOf = ({ db }: Deps, account: string): string => db.keyedHash(nameKey(account.trim()));
