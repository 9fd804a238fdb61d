import { countIn } from '#http/rate-limits.ts';
import { type Account, accountById, accountByLogin } from '#store/accounts/accounts.ts';
import { issueMailToken, peekMailToken } from '#store/accounts/mail-tokens.ts';
import type { Deps } from '../deps.ts';
import { type AccountTexts, sendLink } from '#mails/account-mails.ts';

const HOUR_MS = 3_600_000;

interface AccessMail {
  kind: 'reset' | 'sign-in';
  /** The path of the page that the link opens. */
  path: string;
  data: Record<string, string>;
  text: (texts: AccountTexts) => [subject: string, sentence: string];
}

/**
 * Mails a link that gives access to an account. Without such an account, or if it got one within the last ten minutes,
 * nothing is sent; the page must not reveal which.
 */
export async function sendAccessLink(deps: Deps, login: string, { kind, path, data, text }: AccessMail): Promise<void> {
  const { db, clock } = deps;
  const account = await accountByLogin(db, login);
  if (account === undefined || account.disabled !== null) return;
  const { id: account_id, email } = account;
  const secret = await db.transaction(async (tx) => {
    const subjects = { account: `${kind} ${db.keyedHash(account_id)}` };
    if (!(await countIn(tx, deps, 'accessMail', subjects)).allowed) return undefined;
    return await issueMailToken(tx, clock.now() + HOUR_MS, { kind, account_id, data }, email);
  });
  if (secret !== undefined) sendLink(deps, account, `${path}?token=${secret}`, text);
}

/** The account that a link of a mail gives access to; undefined for a link that does not work. */
export async function accountOfLink(
  { db, clock }: Deps,
  kind: AccessMail['kind'],
  secret: string,
): Promise<Account | undefined> {
  const token = await peekMailToken(db, clock.now(), secret);
  return token?.kind === kind ? await accountById(db, token.account_id!) : undefined;
}
