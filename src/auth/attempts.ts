import { clientNetwork, clientNetworks } from '#http/client-network.ts';
import { rateLimit } from '#http/limits.ts';
import { nameKey } from '#platform/text/text.ts';
import type { Db } from '#db/db.ts';
import { clearAttempts, countAttempt } from '#store/accounts/attempts.ts';
import type { Context, Deps } from './deps.ts';

type LimitedAction = 'register' | 'recover' | 'email' | 'end' | 'export' | 'password';

/**
 * Counts an attempt and returns whether it is allowed. Attempts for an account are counted per network, so that an
 * attacker elsewhere cannot lock the owner out, and over all networks.
 * @param account name, id or e-mail address that the attempt is about
 */
export async function admitAttempt(
  c: Context,
  { db, clock, config }: Deps,
  action: LimitedAction,
  account?: string,
): Promise<boolean> {
  const { address } = c.get('client');
  const perNetwork = rateLimit(config, action, 'network');
  const limits = clientNetworks(address).map(({ name, factor }) => ({
    ...perNetwork,
    subject: `${action} ${name}`,
    max: perNetwork.max * factor,
  }));
  if (action !== 'recover' && action !== 'register' && account !== undefined) {
    const hash = accountHash(db, account);
    limits.push(
      { ...rateLimit(config, action, 'accountInNetwork'), subject: `${action} ${clientNetwork(address)} ${hash}` },
      { ...rateLimit(config, action, 'account'), subject: `${action} ${hash}` },
    );
  }
  // Stop at the first exceeded limit: otherwise refused attempts of one network would use up the limit over all networks.
  for (const { subject, ...limit } of limits) {
    if (!(await countAttempt(db, clock.now(), subject, limit)).allowed) return false;
  }
  return true;
}

/** Resets the count of this account and network, after a successful attempt. */
export async function forgetAttempts(c: Context, { db }: Deps, action: LimitedAction, account: string): Promise<void> {
  await clearAttempts(db, `${action} ${clientNetwork(c.get('client').address)} ${accountHash(db, account)}`);
}

/** Normalised like names and e-mail addresses are compared, so that another spelling shares the limit. */
function accountHash(db: Db, account: string): string {
  return db.keyedHash(nameKey(account.trim()));
}
