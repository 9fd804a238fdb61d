import { type Account, accountById } from '#store/accounts/accounts.ts';
import { markProved, sessionFacts } from '#store/accounts/account-sessions.ts';
import { newFactorMailCode, useFactorCode, useFactorMailCode } from '#store/accounts/factor-codes.ts';
import { hasFactor, lockFactors } from '#store/accounts/factors.ts';
import { recoveryCodesSince } from '#store/accounts/recovery-codes.ts';
import { totpOf } from '#store/accounts/totp.ts';
import type { Queryable } from '#db/db.ts';
import { checkPassword, forgetPasswords } from '../attempts.ts';
import type { Context, Deps } from '../deps.ts';
import { sendMail } from '#mails/account-mails.ts';
import { renewSession, type SignedIn } from '../session.ts';
import { readUsed } from './ceremonies.ts';
import { checkCode, type CodeResult, isAppCode } from './codes.ts';

/** For this long a proof in a session allows changes of factors. */
export const PROOF_MS = 5 * 60_000;

/** Whether the person has proved in the session, within five minutes, to own the account. */
export async function isProved(
  { clock }: Pick<Deps, 'clock'>,
  db: Queryable,
  { uid_hash }: Pick<SignedIn, 'uid_hash'>,
): Promise<boolean> {
  const { proved } = await sessionFacts(db, uid_hash);
  return proved !== null && proved > clock.now() - PROOF_MS;
}

/** Whether the first factor of an account needs a code of `scorehall account factor-code`, which no mail replaces. */
export const needsStaffCode = ({ role }: Pick<Account, 'role'>): boolean => role !== 'user';

/**
 * Mails the code that confirms a first factor, together with the password.
 * @returns false after too many, and for staff
 */
export async function mailProofCode(deps: Deps, { account, uid_hash }: SignedIn): Promise<boolean> {
  const { db, clock, limits } = deps;
  if (needsStaffCode(account)) return false;
  // A stolen session, which is counted first, uses up its own mails only.
  const subjects = { session: db.keyedHash(uid_hash), account: db.keyedHash(account.id) };
  if (!(await limits.count('factorMail', subjects)).allowed) return false;
  const code = await newFactorMailCode(db, clock.now(), account.id, uid_hash);
  sendMail(deps, account, (t) => [t.factor_code_subject, t.factor_code, code, t.factor_code_warning]);
  return true;
}

export async function confirmByPasskey(
  c: Context,
  deps: Deps,
  current: SignedIn,
  credential: string,
): Promise<boolean> {
  const { account, uid_hash } = current;
  const used = await readUsed(c, deps, `use ${uid_hash}`, credential);
  if (used?.passkey.account_id !== account.id) return false;
  await renewSession(c, deps);
  await markProved(deps.db, account.id, uid_hash, deps.clock.now(), used.passkey.created);
  return true;
}

/**
 * A proof by the password, with a code of the app, a recovery code, or before the first factor the code of a mail; for staff
 * the code of a command.
 */
export async function confirmByPassword(
  c: Context,
  deps: Deps,
  current: SignedIn,
  password: string,
  code: string,
): Promise<'proved' | 'wrong' | 'blocked'> {
  const { id } = current.account;
  const checked = await checkPassword(c, deps, id, password);
  if (checked !== 'right') return checked;
  await renewSession(c, deps);
  const isFirst = !(await hasFactor(deps.db, id));
  const result = isFirst ? await confirmFirst(deps, current, code) : await confirmByCode(c, deps, current, code);
  if (result !== 'right') return result;
  await forgetPasswords(c, deps, id);
  return 'proved';
}

async function confirmByCode(
  c: Context,
  deps: Deps,
  { account, uid_hash }: SignedIn,
  code: string,
): Promise<CodeResult> {
  const result = await checkCode(c, deps, account, code);
  if (result !== 'right') return result;
  const now = deps.clock.now();
  // Read afterwards: another app or other codes in the meantime are newer.
  const added = isAppCode(code)
    ? (await totpOf(deps.db, account.id))?.created
    : await recoveryCodesSince(deps.db, account.id);
  await markProved(deps.db, account.id, uid_hash, now, added ?? now);
  return result;
}

/** In one transaction with a new look at the role, because a mail proves nothing for staff. */
async function confirmFirst(
  { db, clock }: Deps,
  { account: { id }, uid_hash }: SignedIn,
  code: string,
): Promise<'right' | 'wrong'> {
  const now = clock.now();
  return await db.transaction(async (tx) => {
    await lockFactors(tx, id);
    const account = await accountById(tx, id);
    if (account === undefined) return 'wrong';
    const isRight = needsStaffCode(account)
      ? await useFactorCode(tx, now, id, code)
      : await useFactorMailCode(tx, now, id, uid_hash, code);
    if (isRight) await markProved(tx, id, uid_hash, now, now);
    return isRight ? 'right' : 'wrong';
  });
}
