import { secretHash } from '#platform/crypto/secrets.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { plainCode } from '#store/accounts/link-codes.ts';
import { countRecoveryCodes, useRecoveryCode } from '#store/accounts/recovery-codes.ts';
import { useTotpCode } from '#store/accounts/totp.ts';
import { reportGuesses } from '../attempts.ts';
import type { Context, Deps } from '../deps.ts';
import { deviceCookie, isOwnDevice } from '../device.ts';
import { sendAlert } from '#mails/account-mails.ts';

/** 'blocked': codes that can be guessed do not count at present, while passkeys and recovery codes do. */
export type CodeResult = 'right' | 'wrong' | 'blocked';

/** Whether a code has the form of those of an authenticator app. */
export const isAppCode = (text: string): boolean => /^\d{6}$/.test(text.replaceAll(/\s/g, ''));

/** Checks a code of the authenticator app (six digits), or else a recovery code; a right one is used up. */
export async function checkCode(c: Context, deps: Deps, account: Account, text: string): Promise<CodeResult> {
  const code = text.replaceAll(/\s/g, '');
  if (!isAppCode(code)) return await checkRecoveryCode(c, deps, account, code);
  const isKnown = await isOwnDevice(c, deps, account.id);
  // Other people in the network must not use up the attempts of a browser that has its own count.
  if (!isKnown && !(await admitNetwork(c, deps))) return 'blocked';
  const result = await checkAppCode(deps, account, code, isKnown ? deviceCookie(c, deps) : undefined);
  if (result === 'right' && !isKnown) await deps.limits.lower('wrongPasswordAnywhere', networkOf(c));
  return result;
}

/**
 * The owner gets a mail about each use. A recovery code cannot be guessed, so other people in the network cannot keep
 * the owner from using one; only wrong ones count, because each is an entry of the audit log.
 */
async function checkRecoveryCode(c: Context, deps: Deps, account: Account, code: string): Promise<CodeResult> {
  if (!(await useRecoveryCode(deps.db, account.id, plainCode(code))))
    return (await admitNetwork(c, deps)) ? 'wrong' : 'blocked';
  const left = await countRecoveryCodes(deps.db, account.id);
  sendAlert(deps, account, (texts) => [texts.recovery_code_used_subject, texts.recovery_code_used(left)]);
  return 'right';
}

/**
 * Checks a code that can be guessed. A browser that has signed in to the account before has its own count of wrong codes;
 * all others share one, so that a thief of the password has few guesses and cannot use up those of the owner.
 * @param device the cookie of a browser that has signed in before
 */
async function checkAppCode(
  deps: Deps,
  account: Account,
  code: string,
  device: string | undefined,
): Promise<CodeResult> {
  const { db, clock, secretKey, limits } = deps;
  const hash = db.keyedHash(account.id);
  const browser = device === undefined ? { otherBrowsers: hash } : { knownBrowser: `${hash} ${secretHash(device)}` };
  const { allowed, remaining } = await limits.count('wrongCode', browser);
  if (!allowed) return 'blocked';
  if (await useTotpCode(db, clock.now(), secretKey, account.id, code)) {
    await limits.lower('wrongCode', browser);
    return 'right';
  }
  if (remaining === 0) reportGuesses(deps, account, 'wrongCodeMail');
  return 'wrong';
}

const networkOf = (c: Context): { network: string } => ({ network: c.get('client').address });

/** Counts an attempt of the client's networks. @returns whether none has used up its attempts */
export const admitNetwork = async (c: Context, { limits }: Deps): Promise<boolean> =>
  (await limits.count('wrongPasswordAnywhere', networkOf(c))).allowed;
