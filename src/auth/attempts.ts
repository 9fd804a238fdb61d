import { networkOf, networksOf } from '#http/client-network.ts';
import { nameKey } from '#platform/text.ts';
import type { Db } from '#db/db.ts';
import { type AttemptLimit, clearAttempts, countAttempt } from '#store/accounts/attempts.ts';
import type { Context, Deps } from './deps.ts';

const QUARTER = 15 * 60_000;
const HOUR = 60 * 60_000;

/**
 * Attempts allowed from one network, and from one network for one account (or e-mail address). Passwords at sign-in: see
 * password-guesses.ts. Mails that recover an account: see account/access-mails.ts.
 */
const LIMITS: Record<LimitedAction, { address: AttemptLimit; account?: AttemptLimit }> = {
  register: { address: { attempts: 20, windowMs: HOUR }, account: { attempts: 4, windowMs: HOUR } },
  recover: { address: { attempts: 20, windowMs: HOUR } },
  email: { address: { attempts: 20, windowMs: HOUR }, account: { attempts: 4, windowMs: HOUR } },
  end: { address: { attempts: 1000, windowMs: HOUR }, account: { attempts: 100, windowMs: HOUR } },
  export: { address: { attempts: 60, windowMs: HOUR }, account: { attempts: 10, windowMs: HOUR } },
  password: { address: { attempts: 60, windowMs: QUARTER }, account: { attempts: 10, windowMs: QUARTER } },
};

export type LimitedAction = 'register' | 'recover' | 'email' | 'end' | 'export' | 'password';

/**
 * Counts an attempt and returns whether it is allowed. Attempts for an account are counted per network, so that an
 * attacker elsewhere cannot lock the owner out, and over all networks with ten times the limit.
 * @param account name, id or e-mail address that the attempt is about
 */
export async function admitAttempt(
  c: Context,
  { db, clock }: Deps,
  action: LimitedAction,
  account?: string,
): Promise<boolean> {
  const { address: perNetwork, account: perAccount } = LIMITS[action];
  const { address } = c.get('client');
  const limits = networksOf(address).map(({ name, factor }): [subject: string, limit: AttemptLimit] => [
    `${action} ${name}`,
    times(perNetwork, factor),
  ]);
  if (perAccount !== undefined && account !== undefined) {
    const hash = accountHash(db, account);
    limits.push([`${action} ${networkOf(address)} ${hash}`, perAccount], [`${action} ${hash}`, times(perAccount, 10)]);
  }
  // Stop at the first exceeded limit: otherwise refused attempts of one network would use up the limit over all networks.
  for (const [subject, limit] of limits) {
    if (!(await countAttempt(db, clock.now(), subject, limit)).allowed) return false;
  }
  return true;
}

const times = ({ attempts, windowMs }: AttemptLimit, factor: number): AttemptLimit => ({
  attempts: attempts * factor,
  windowMs,
});

/** Resets the count of this account and network, after a successful attempt. */
export async function forgetAttempts(c: Context, { db }: Deps, action: LimitedAction, account: string): Promise<void> {
  await clearAttempts(db, `${action} ${networkOf(c.get('client').address)} ${accountHash(db, account)}`);
}

/** Normalised like names and e-mail addresses are compared, so that another spelling shares the limit. */
function accountHash(db: Db, account: string): string {
  return db.keyedHash(nameKey(account.trim()));
}
