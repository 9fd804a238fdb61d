import { matchingSteps } from '#platform/crypto/totp.ts';
import type { Queryable } from '#db/db.ts';
import { endSessions } from '#store/accounts/account-sessions.ts';
import { firstFactorAllowedFrom, hasFactor, lockFactors } from '#store/accounts/factors.ts';
import { deletePasskey, insertPasskey, MAX_PASSKEYS, passkeysOf } from '#store/accounts/passkeys.ts';
import { deleteRecoveryCodes, renewRecoveryCodes } from '#store/accounts/recovery-codes.ts';
import { deleteTotp, setTotp } from '#store/accounts/totp.ts';
import { record } from '../audit.ts';
import type { Context, Deps } from '../deps.ts';
import { sendAlert } from '../mails.ts';
import type { SignedIn } from '../session.ts';
import type { Texts } from '../texts/index.ts';
import { verifyNewPasskey } from './ceremonies.ts';
import { isProvedIn } from './proof.ts';

/** The recovery codes that the account gets with its first factor. */
interface Added {
  codes: string[] | undefined;
}

/**
 * Adds a passkey. The owner gets a mail, and the other sessions end.
 * @param credential the JSON text of the answer to `creationOptions`
 * @returns 'refused' if the answer is not valid, or the session may not add a factor any more
 */
export async function addPasskey(
  c: Context,
  deps: Deps,
  current: SignedIn,
  name: string,
  credential: string,
): Promise<'refused' | 'too many' | Added> {
  const { account } = current;
  const created = await verifyNewPasskey(deps, current, credential);
  if (created === undefined) return 'refused';
  const passkey = { ...created, account_id: account.id, name, created: deps.clock.now(), last_used: null };
  const result = await addFactor(deps, current, async (tx) => {
    if ((await passkeysOf(tx, account.id)).length >= MAX_PASSKEYS) return 'too many';
    return (await insertPasskey(tx, passkey)) ? 'added' : 'refused';
  });
  if (typeof result === 'string') return result;
  const texts = (mail: Texts['mail']): Alert => [mail.passkey_added_subject, mail.passkey_added(name)];
  reportChange(c, deps, current, 'account.passkey.add', texts, { name });
  return result;
}

/**
 * Sets up an authenticator app, in the place of an earlier one. The owner gets a mail, and the other sessions end.
 * @param secret hexadecimal digits, as the page showed it
 * @param code of the app, which proves that it has the secret
 */
export async function addApp(
  c: Context,
  deps: Deps,
  current: SignedIn,
  secret: string,
  code: string,
): Promise<'wrong' | Added> {
  const now = deps.clock.now();
  const step = matchingSteps(secret, code, now).at(-1);
  if (step === undefined) return 'wrong';
  const result = await addFactor(deps, current, async (tx) => {
    await setTotp(tx, now, deps.secret, current.account.id, { secret, step });
    return 'added';
  });
  if (typeof result === 'string') return 'wrong';
  reportChange(c, deps, current, 'account.app.add', (mail) => [mail.app_added_subject, mail.app_added]);
  return result;
}

/** @returns false if the account has no such passkey, or the session may not change factors any more */
export async function removePasskey(c: Context, deps: Deps, current: SignedIn, id: string): Promise<boolean> {
  const name = await removeFactor(deps, current, (tx) => deletePasskey(tx, current.account.id, id));
  if (name === undefined) return false;
  const texts = (mail: Texts['mail']): Alert => [mail.passkey_removed_subject, mail.passkey_removed(name)];
  reportChange(c, deps, current, 'account.passkey.remove', texts, { name });
  return true;
}

/** @returns false if the account has no authenticator app, or the session may not change factors any more */
export async function removeApp(c: Context, deps: Deps, current: SignedIn): Promise<boolean> {
  const removed = await removeFactor(
    deps,
    current,
    async (tx) => (await deleteTotp(tx, current.account.id)) || undefined,
  );
  if (removed === undefined) return false;
  reportChange(c, deps, current, 'account.app.remove', (mail) => [mail.app_removed_subject, mail.app_removed]);
  return true;
}

/** New recovery codes, in the place of the old ones. @returns undefined if the account has no factor */
export async function renewCodes(c: Context, deps: Deps, current: SignedIn): Promise<string[] | undefined> {
  const { db, clock } = deps;
  const { account } = current;
  const codes = await db.transaction(async (tx) => {
    if (!(await mayChange(tx, clock.now(), current)) || !(await hasFactor(tx, account.id))) return undefined;
    return await renewRecoveryCodes(tx, clock.now(), account.id);
  });
  if (codes === undefined) return undefined;
  reportChange(c, deps, current, 'account.recovery_codes', (mail) => [mail.codes_made_subject, mail.codes_made]);
  return codes;
}

async function addFactor(
  { db, clock }: Deps,
  current: SignedIn,
  add: (tx: Queryable) => Promise<'added' | 'refused' | 'too many'>,
): Promise<'refused' | 'too many' | Added> {
  const now = clock.now();
  const { account, uid_hash } = current;
  return await db.transaction(async (tx) => {
    if (!(await mayChange(tx, now, current))) return 'refused';
    const isFirst = !(await hasFactor(tx, account.id));
    if (isFirst && (await firstFactorAllowedFrom(tx, account.id, uid_hash)) > now) return 'refused';
    const result = await add(tx);
    if (result !== 'added') return result;
    await endSessions(tx, account.id, { except: uid_hash });
    return { codes: isFirst ? await renewRecoveryCodes(tx, now, account.id) : undefined };
  });
}

async function removeFactor<T>(
  { db, clock }: Deps,
  current: SignedIn,
  remove: (tx: Queryable) => Promise<T | undefined>,
): Promise<T | undefined> {
  const { account, uid_hash } = current;
  return await db.transaction(async (tx) => {
    if (!(await mayChange(tx, clock.now(), current))) return undefined;
    const removed = await remove(tx);
    if (removed === undefined) return undefined;
    if (!(await hasFactor(tx, account.id))) await deleteRecoveryCodes(tx, account.id);
    await endSessions(tx, account.id, { except: uid_hash });
    return removed;
  });
}

/** Changes of one account take turns, and the proof of a session that has ended meanwhile does not count. */
async function mayChange(tx: Queryable, now: number, { account, uid_hash }: SignedIn): Promise<boolean> {
  return (await lockFactors(tx, account.id)) && (await isProvedIn(tx, now, uid_hash));
}

type Alert = [string, string];

function reportChange(
  c: Context,
  deps: Deps,
  { account }: SignedIn,
  action: string,
  texts: (mail: Texts['mail']) => Alert,
  detail: Record<string, string> = {},
): void {
  record(c, deps, account, { action, detail });
  sendAlert(deps, account, texts);
}
