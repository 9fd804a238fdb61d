import { matchingSteps } from '#platform/crypto/totp.ts';
import type { Queryable } from '#db/db.ts';
import { endSessions } from '#store/accounts/account-sessions.ts';
import { forgetDevices } from '#store/accounts/known-devices.ts';
import { firstFactorAllowedFrom, hasFactor, lockFactors } from '#store/accounts/factors.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { issueFactorUndo, UNDO_DAYS } from '#store/accounts/mail-tokens.ts';
import { deletePasskey, insertPasskey, MAX_PASSKEYS, passkeysOf } from '#store/accounts/passkeys.ts';
import { deleteRecoveryCodes, renewRecoveryCodes } from '#store/accounts/recovery-codes.ts';
import { deleteTotp, hasTotp, setTotp } from '#store/accounts/totp.ts';
import { record } from '../audit.ts';
import type { Context, Deps } from '../deps.ts';
import { rememberThisDevice } from '../device.ts';
import { type AccountTexts, sendAlert, sendMail } from '#mails/account-mails.ts';
import type { SignedIn } from '../session.ts';
import { readCreated } from './ceremonies.ts';
import { isProved } from './proof.ts';

interface Change {
  /** The name in the audit log. */
  action: string;
  /** The sentence of the mail. */
  text: (texts: AccountTexts) => string;
  /** @returns new recovery codes, if it makes any; undefined if there is nothing to change */
  run: (tx: Queryable, isFirst: boolean) => Promise<string[] | undefined>;
}

/**
 * Changes the factors of an account in one transaction with the checks that allow it: the proof in this session, and the
 * wait of a session that began by mail. Ends all other sessions and mails the owner. After the first factor only this browser
 * is known.
 * @returns new recovery codes, to be shown once; undefined if nothing was changed
 */
async function change(
  c: Context,
  deps: Deps,
  current: SignedIn,
  { action, text, run }: Change,
): Promise<string[] | undefined> {
  const { account, uid_hash } = current;
  const result = await deps.db.transaction(async (tx) => {
    if (!(await lockFactors(tx, account.id)) || !(await isProved(deps, tx, current))) return undefined;
    const isFirst = !(await hasFactor(tx, account.id));
    if (isFirst && (await firstFactorAllowedFrom(tx, account.id, uid_hash)) > deps.clock.now()) return undefined;
    const codes = await run(tx, isFirst);
    if (codes === undefined) return undefined;
    const isProtected = await hasFactor(tx, account.id);
    // Recovery codes alone are no factor.
    if (!isProtected) await deleteRecoveryCodes(tx, account.id);
    const undo = isFirst && isProtected ? await issueFactorUndo(tx, deps.clock.now(), account.id) : undefined;
    await endSessions(tx, account.id, { except: uid_hash });
    // Browsers in which only the password was shown must have no separate count for codes.
    if (isFirst) await forgetDevices(tx, account.id);
    await rememberThisDevice(c, deps, tx, account.id);
    await record(tx, c, deps, account, { action });
    return { codes, undo, isProtected };
  });
  if (result === undefined) return undefined;
  mailChange(deps, account, text, result);
  return result.codes;
}

/**
 * Mails the owner, and never advises a new password to a person who could not sign in with it.
 * @param undo the secret of the link that undoes it, if it was the first factor
 * @param isProtected whether the account has a factor now
 */
function mailChange(
  deps: Deps,
  account: Account,
  text: (texts: AccountTexts) => string,
  { undo, isProtected }: { undo: string | undefined; isProtected: boolean },
): void {
  if (!isProtected) return sendAlert(deps, account, (texts) => [texts.factors_subject, text(texts)]);
  const advice = (texts: AccountTexts): string[] =>
    undo === undefined
      ? [texts.factor_unknown, `${deps.config.AUTH_URL}/account/security`]
      : [texts.factor_undo(UNDO_DAYS), `${deps.config.AUTH_URL}/email/undo?token=${undo}`];
  sendMail(deps, account, (texts) => [texts.factors_subject, text(texts), ...advice(texts)]);
}

/**
 * @returns the recovery codes, which replace a lost factor: none unless it is the first one; undefined if the passkey is refused,
 * or the account has the maximum
 */
export async function addPasskey(
  c: Context,
  deps: Deps,
  current: SignedIn,
  name: string,
  credential: string,
): Promise<string[] | undefined> {
  const { id } = current.account;
  const created = await readCreated(deps, current, credential);
  if (created === undefined) return undefined;
  const now = deps.clock.now();
  return await change(c, deps, current, {
    action: 'account.passkey-add',
    text: (texts) => texts.passkey_added(name),
    run: async (tx, isFirst) => {
      if ((await passkeysOf(tx, id)).length >= MAX_PASSKEYS) return undefined;
      const passkey = { ...created, name, created: now, last_used: null };
      if (!(await insertPasskey(tx, passkey))) return undefined;
      return isFirst ? await renewRecoveryCodes(tx, now, id) : [];
    },
  });
}

/** @returns whether the account had the passkey */
export async function removePasskey(c: Context, deps: Deps, current: SignedIn, id: string): Promise<boolean> {
  const removed = await change(c, deps, current, {
    action: 'account.passkey-remove',
    text: (texts) => texts.passkey_removed,
    run: async (tx) => ((await deletePasskey(tx, current.account.id, id)) ? [] : undefined),
  });
  return removed !== undefined;
}

/**
 * @param secret of the app, which counts from now on if the code is one of it
 * @returns as `addPasskey`; undefined for a wrong code, and the second time
 */
export async function addApp(
  c: Context,
  deps: Deps,
  current: SignedIn,
  secret: string,
  code: string,
): Promise<string[] | undefined> {
  const { id } = current.account;
  const now = deps.clock.now();
  const step = matchingSteps(secret, code, now).at(-1);
  if (step === undefined) return undefined;
  return await change(c, deps, current, {
    action: 'account.app-add',
    text: (texts) => texts.app_added,
    run: async (tx, isFirst) => {
      if (await hasTotp(tx, deps.secretKey, id, secret)) return undefined;
      await setTotp(tx, now, deps.secretKey, id, { secret, step });
      return isFirst ? await renewRecoveryCodes(tx, now, id) : [];
    },
  });
}

/** @returns whether the account had one */
export async function removeApp(c: Context, deps: Deps, current: SignedIn): Promise<boolean> {
  const removed = await change(c, deps, current, {
    action: 'account.app-remove',
    text: (texts) => texts.app_removed,
    run: async (tx) => ((await deleteTotp(tx, current.account.id)) ? [] : undefined),
  });
  return removed !== undefined;
}

/** @returns the new recovery codes; undefined without a factor */
export async function renewCodes(c: Context, deps: Deps, current: SignedIn): Promise<string[] | undefined> {
  return await change(c, deps, current, {
    action: 'account.recovery-codes',
    text: (texts) => texts.codes_renewed,
    run: async (tx, isFirst) =>
      isFirst ? undefined : await renewRecoveryCodes(tx, deps.clock.now(), current.account.id),
  });
}
