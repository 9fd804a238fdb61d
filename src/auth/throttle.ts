import { networkOf } from '#http/client-network.ts';
import { nameKey } from '#platform/text.ts';
import type { Db } from '#db/db.ts';
import { type AttemptLimit, clearAttempts, countAttempt } from '#store/accounts/throttle.ts';
import type { Context, Deps } from './deps.ts';

const QUARTER = 15 * 60_000;
const HOUR = 60 * 60_000;

/** How often from one address, and how often at one account (or mail address), from wherever. */
const ALLOWED = {
  'sign-in': { address: { attempts: 60, windowMs: QUARTER }, account: { attempts: 10, windowMs: QUARTER } },
  register: { address: { attempts: 20, windowMs: HOUR }, account: { attempts: 4, windowMs: HOUR } },
  recover: { address: { attempts: 20, windowMs: HOUR }, account: { attempts: 4, windowMs: HOUR } },
  end: { address: { attempts: 1000, windowMs: HOUR }, account: { attempts: 100, windowMs: HOUR } },
  export: { address: { attempts: 60, windowMs: HOUR }, account: { attempts: 10, windowMs: HOUR } },
  password: { address: { attempts: 60, windowMs: QUARTER }, account: { attempts: 10, windowMs: QUARTER } },
} satisfies Record<string, { address: AttemptLimit; account: AttemptLimit }>;

export type ThrottledAction = keyof typeof ALLOWED;

/**
 * Counts a try and says whether it may be made. An account is counted together with the network of the address, so that
 * a stranger elsewhere cannot lock its owner out, and once more over all addresses with ten times the attempts.
 */
export async function admitAttempt(
  c: Context,
  { db, clock }: Deps,
  what: ThrottledAction,
  account: string,
): Promise<boolean> {
  const { address, account: perAccount } = ALLOWED[what];
  const [network, who] = [networkOf(c.get('client').address), hashOf(db, account)];
  const everywhere = { ...perAccount, attempts: perAccount.attempts * 10 };
  const counts: [subject: string, allowed: AttemptLimit][] = [
    [`${what} ${network}`, address],
    [`${what} ${network} ${who}`, perAccount],
    [`${what} ${who}`, everywhere],
  ];
  // A try that is not made counts no further, or one network alone could use up what is allowed to all.
  for (const [subject, allowed] of counts) {
    if (!(await countAttempt(db, clock.now(), subject, allowed)).allowed) return false;
  }
  return true;
}

/** After a success an account's earlier tries from here no longer count. */
export async function clearAttemptsOf(c: Context, { db }: Deps, what: ThrottledAction, account: string): Promise<void> {
  await clearAttempts(db, `${what} ${networkOf(c.get('client').address)} ${hashOf(db, account)}`);
}

/** As names and addresses are compared: another way to write one has no tries of its own. */
function hashOf(db: Db, account: string): string {
  return db.keyedHash(nameKey(account.trim()));
}
