import { clientNetwork } from '#http/client-address.ts';
import { nameKey } from '#text/text.ts';
import type { Context, Deps } from './deps.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { passwordMatches } from '#platform/crypto/passwords.ts';
import { type Account, passwordOf } from '#store/accounts/accounts.ts';
import { deviceCookie, isOwnDevice } from './device.ts';
import { sendMail } from '#mails/account-mails.ts';
import type { Requester } from './password-queue.ts';

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

/** Checks the password of a signed-in person. `forgetPasswords` resets the count after a successful attempt. */
export async function checkPassword(
  c: Context,
  deps: Deps,
  accountId: string,
  password: string,
): Promise<'right' | 'wrong' | 'blocked'> {
  if (!(await admitAttempt(c, deps, 'password', accountId))) return 'blocked';
  const stored = await passwordOf(deps.db, accountId);
  const matches = await deps.passwordQueue.run('recognised', c.get('client'), () => passwordMatches(password, stored));
  return matches ? 'right' : 'wrong';
}

/** Resets the count of current passwords of this account and network. */
export async function forgetPasswords(c: Context, deps: Deps, account: string): Promise<void> {
  await deps.limits.clear('password', { accountInNetwork: accountInNetwork(c, deps, account) });
}

const accountInNetwork = (c: Context, deps: Deps, account: string): string =>
  `${clientNetwork(c.get('client').address)} ${hashOf(deps, account)}`;

/** Normalised like names and e-mail addresses are compared, so that another spelling shares the limit. */
const hashOf = ({ db }: Deps, account: string): string => db.keyedHash(nameKey(account.trim()));

/** After this many wrong passwords of other browsers within the hour the owner gets a mail. */
const ALERT_AFTER = 20;

/** An attempt that may be checked. Call `succeeded` if the password is right: it does not count then. */
interface AdmittedGuess {
  requester: Requester;
  succeeded: () => Promise<void>;
}

/**
 * Counts an attempt at the password of an account. A browser that has signed in to the account before has its own count,
 * which other browsers cannot use up; all others share one count of the account, by name or e-mail address. An account
 * that does not exist has the same limits, so that they do not reveal which accounts exist.
 * @returns undefined if the password must not be checked
 */
export async function admitGuess(
  c: Context,
  deps: Deps,
  account: Account | undefined,
  login: string,
): Promise<AdmittedGuess | undefined> {
  const hash = deps.db.keyedHash(account?.id ?? nameKey(login.trim()));
  if (account !== undefined && (await isOwnDevice(c, deps, account.id))) return await admitRecognised(c, deps, hash);
  return await admitOther(c, deps, account, hash);
}

async function admitRecognised(c: Context, deps: Deps, hash: string): Promise<AdmittedGuess | undefined> {
  const browser = { knownBrowser: `${hash} ${secretHash(deviceCookie(c, deps)!)}` };
  const { allowed } = await deps.limits.count('wrongPassword', browser);
  if (!allowed) return undefined;
  return { requester: 'recognised', succeeded: () => deps.limits.clear('wrongPassword', browser) };
}

async function admitOther(
  c: Context,
  deps: Deps,
  account: Account | undefined,
  hash: string,
): Promise<AdmittedGuess | undefined> {
  const { limits, passwordQueue } = deps;
  const client = c.get('client');
  passwordQueue.refuseIfFull('other', client);
  const network = { network: client.address };
  // A refused network stops first: otherwise it would use up the count of the account.
  if (!(await limits.count('wrongPasswordAnywhere', network)).allowed) return undefined;
  const browsers = { otherBrowsers: hash };
  const { allowed, used } = await limits.count('wrongPassword', browsers);
  if (used > ALERT_AFTER && account !== undefined) reportGuesses(deps, account, 'wrongPasswordMail');
  if (!allowed) return undefined;
  return {
    requester: 'other',
    succeeded: async () => {
      await limits.lower('wrongPasswordAnywhere', network);
      await limits.lower('wrongPassword', browsers);
    },
  };
}

/** Mails the owner of an account that its password or its codes are being guessed, within a limit. */
export function reportGuesses(deps: Deps, account: Account, limit: 'wrongPasswordMail' | 'wrongCodeMail'): void {
  if (account.disabled !== null) return;
  deps.background.run(async () => {
    if (!(await deps.limits.count(limit, { account: deps.db.keyedHash(account.id) })).allowed) return;
    sendMail(deps, account, (texts) => {
      const kind = limit === 'wrongCodeMail' ? 'codes_guessed' : 'guessed';
      return [texts[`${kind}_subject`], texts[kind], `${deps.config.AUTH_URL}/forgot`];
    });
  });
}
