import { passwordMatches } from '#platform/crypto/passwords.ts';
import { rateLimit } from '#http/limits.ts';
import type { Queryable } from '#db/db.ts';
import { type Account, passwordOf } from '#store/accounts/accounts.ts';
import { markProved, sessionFacts } from '#store/accounts/account-sessions.ts';
import { FACTOR_MAIL_CODE_MS, newFactorMailCode, useFactorMailCode } from '#store/accounts/factor-mail-codes.ts';
import { hasFactor } from '#store/accounts/factors.ts';
import { admitAttempt, forgetAttempts } from '../attempts.ts';
import type { Context, Deps } from '../deps.ts';
import { sendMail } from '../mails.ts';
import type { SignedIn } from '../session.ts';
import { verifyOwnPasskey } from './passkeys.ts';
import { checkCode, limited } from './codes.ts';

/** A proof counts for this long. */
const PROOF_MS = 5 * 60_000;

/**
 * Whether the person has proved in this session within five minutes to own the account, as changes of its factors need: by a
 * passkey, or by the password together with a code of the app or a recovery code. If the account has no factor yet, by the
 * password together with a code from a mail: a thief of the password alone must not add one.
 */
export async function isProved({ db, clock }: Pick<Deps, 'db' | 'clock'>, { uid_hash }: SignedIn): Promise<boolean> {
  return await isProvedIn(db, clock.now(), uid_hash);
}

/** Like `isProved`, within a transaction: false if the session has ended meanwhile. */
export async function isProvedIn(tx: Queryable, now: number, uidHash: string): Promise<boolean> {
  const { proved } = await sessionFacts(tx, uidHash);
  return proved !== null && proved > now - PROOF_MS;
}

/** Mails the code for the first factor. @returns false after too many mails */
export async function mailProofCode(_c: Context, deps: Deps, { account, uid_hash }: SignedIn): Promise<boolean> {
  const { db, clock, config } = deps;
  const limit = rateLimit(config, 'factorMail', 'account');
  if (!(await deps.guesses.count(`factor mail ${db.keyedHash(account.id)}`, limit)).allowed) return false;
  const code = await newFactorMailCode(db, clock.now(), account.id, uid_hash);
  const minutes = FACTOR_MAIL_CODE_MS / 60_000;
  sendMail(deps, account, (texts) => ({
    subject: texts.factor_code_subject,
    lines: [texts.factor_code(minutes), code, texts.factor_code_not_you, `${config.AUTH_URL}/forgot`],
  }));
  return true;
}

/** @param credential the JSON text of the answer to `requestOptions` */
export async function proveByPasskey(
  _c: Context,
  deps: Deps,
  { account, uid_hash }: SignedIn,
  credential: string,
): Promise<boolean> {
  const used = await verifyOwnPasskey(deps, { kind: 'confirm', session: uid_hash }, account, credential);
  if (used === undefined) return false;
  await markProved(deps.db, account.id, uid_hash, deps.clock.now());
  return true;
}

/** @param code of the app, a recovery code, or of the mail if the account has no factor */
export async function proveByPassword(
  c: Context,
  deps: Deps,
  current: SignedIn,
  password: string,
  code: string,
): Promise<'proved' | 'wrong' | 'blocked'> {
  const { account, uid_hash } = current;
  const { db, clock } = deps;
  if (!(await admitAttempt(c, deps, 'password', account.id))) return 'blocked';
  const stored = await passwordOf(db, account.id);
  const matches = await deps.passwordQueue.run('recognised', c.get('client'), () => passwordMatches(password, stored));
  if (!matches) return 'wrong';
  await forgetAttempts(c, deps, 'password', account.id);
  const result = await checkProofCode(c, deps, account, uid_hash, code);
  if (result !== 'right') return result;
  await markProved(db, account.id, uid_hash, clock.now());
  return 'proved';
}

async function checkProofCode(c: Context, deps: Deps, account: Account, uidHash: string, code: string) {
  const { db, clock } = deps;
  if (await hasFactor(db, account.id)) return await checkCode(c, deps, account, code);
  return await limited(c, deps, account, () => useFactorMailCode(db, clock.now(), account.id, uidHash, code));
}
