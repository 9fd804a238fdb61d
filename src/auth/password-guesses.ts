import { clientNetworks } from '#http/client-network.ts';
import { rateLimit } from '#http/limits.ts';
import { nameKey } from '#platform/text/text.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { clearAttempts, countAttempt, uncountAttempt } from '#store/accounts/attempts.ts';
import type { Context, Deps } from './deps.ts';
import { deviceCookie, isOwnDevice } from './device.ts';
import { sendMail } from '#mails/account-mails.ts';
import type { Requester } from './password-queue.ts';

/** After this many wrong passwords of other browsers within the hour the owner gets a mail. */
const ALERT_AFTER = 20;

/** An attempt that may be checked. Call `succeeded` if the password is right: it does not count then. */
export interface AdmittedGuess {
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
  const limit = rateLimit(deps.config, 'wrongPassword', 'knownBrowser');
  const subject = `guess ${hash} ${secretHash(deviceCookie(c, deps)!)}`;
  const { allowed } = await countAttempt(deps.db, deps.clock.now(), subject, limit);
  return allowed ? { requester: 'recognised', succeeded: () => clearAttempts(deps.db, subject) } : undefined;
}

async function admitOther(
  c: Context,
  deps: Deps,
  account: Account | undefined,
  hash: string,
): Promise<AdmittedGuess | undefined> {
  const { config, db, guesses, passwordQueue } = deps;
  passwordQueue.refuseIfFull('other', c.get('client'));
  const counted: string[] = [];
  // A refused network stops first: otherwise it would use up the count of the account.
  for (const { name, factor } of clientNetworks(c.get('client').address)) {
    const subject = `guess ${name}`;
    const limit = rateLimit(config, 'wrongPasswordAnywhere', 'network');
    if (!(await guesses.count(subject, { ...limit, max: limit.max * factor })).allowed) return undefined;
    counted.push(subject);
  }
  const subject = `guess ${hash}`;
  const { allowed, used } = await guesses.count(subject, rateLimit(config, 'wrongPassword', 'otherBrowsers'));
  if (used > ALERT_AFTER && account !== undefined) deps.background.run(() => alertOwner(deps, account, hash));
  if (!allowed) return undefined;
  return {
    requester: 'other',
    succeeded: async () => {
      for (const each of [...counted, subject]) await uncountAttempt(db, each);
    },
  };
}

/** Mails the owner that the password is being guessed. */
async function alertOwner(deps: Deps, account: Account, hash: string): Promise<void> {
  const limit = rateLimit(deps.config, 'wrongPasswordMail', 'account');
  const { allowed } = await deps.guesses.count(`guess alert ${hash}`, limit);
  if (!allowed || account.disabled !== null) return;
  sendMail(deps, account, (texts) => ({
    subject: texts.guessed_subject,
    lines: [texts.guessed, `${deps.config.AUTH_URL}/forgot`],
  }));
}
