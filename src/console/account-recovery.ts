import type { AppContext } from '#context/context.ts';
import { chooseLanguage } from '#http/languages.ts';
import { setEmail } from '#store/accounts/account-changes.ts';
import { type Account, accountByEmail } from '#store/accounts/accounts.ts';
import { issueMailToken, type MailTokenKind } from '#store/accounts/mail-tokens.ts';
import { TEXTS, type Texts } from './texts/index.ts';

/**
 * What an operator does for somebody who cannot sign in, in the console or by command. The links lead to the sign-in
 * service, which consumes their tokens.
 */

type Context = Pick<AppContext, 'config' | 'db' | 'clock' | 'mail'>;

const DAY_MS = 86_400_000;

/** Sends the account's owner a link to choose a new password. */
export async function mailResetLink(context: Context, account: Account): Promise<void> {
  const link = await linkTo(context, 'reset', account, account.email, { flow: '' });
  send(context, account, (t) => [t.reset_subject, t.reset, link]);
}

/**
 * Makes a link to choose a new password, which the operator hands over. It is not sent, so opening it does not confirm the
 * e-mail address; the address gets a notice. A link that is requested by mail does not replace it.
 */
export async function makeResetLink(context: Context, account: Account): Promise<{ link: string; expires: number }> {
  const link = await linkTo(context, 'reset', account, '', { flow: '', paper: '1' });
  send(context, account, (t) => [t.paper_subject, t.paper]);
  return { link, expires: context.clock.now() + DAY_MS };
}

/** Sends the link that confirms the present address of an account again. */
export async function resendVerification(context: Context, account: Account): Promise<void> {
  const link = await linkTo(context, 'verify', account, account.email, { email: account.email });
  send(context, account, (t) => [t.verify_subject, t.verify, link]);
}

/**
 * Changes the e-mail address of an account; the present address gets a notice.
 * @param now whether the address changes at once, as confirmed, or when its owner opens a link that is sent to it
 * @returns false if another account has the address
 */
export async function changeAddress(context: Context, account: Account, email: string, now: boolean): Promise<boolean> {
  if (now) {
    if (!(await setEmail(context.db, account.id, email, true))) return false;
    send(context, account, (t) => [t.address_changed_subject, t.address_changed(email)]);
    return true;
  }
  const holder = await accountByEmail(context.db, email);
  if (holder !== undefined && holder.id !== account.id) return false;
  const link = await linkTo(context, 'email', account, email, { email });
  send(context, account, (t) => [t.address_changing_subject, t.address_changing(email)]);
  send(context, { ...account, email }, (t) => [t.address_subject, t.address, link]);
  return true;
}

/** Issues a token and returns the address of the page that consumes it. @param email where the link is sent; empty: nowhere */
async function linkTo(
  { config, db, clock }: Context,
  kind: Exclude<MailTokenKind, 'register'>,
  { id }: Account,
  email: string,
  data: Record<string, string>,
): Promise<string> {
  const token = { kind, account_id: id, data };
  const secret = await db.transaction((tx) => issueMailToken(tx, clock.now() + DAY_MS, token, email));
  return `${config.AUTH_URL}/${kind === 'reset' ? 'reset' : 'verify'}?token=${secret}`;
}

type Recipient = Pick<Account, 'name' | 'email' | 'locale'>;

function send(
  { config, mail }: Context,
  { name, email, locale }: Recipient,
  write: (texts: Texts['mail']) => [subject: string, ...lines: string[]],
): void {
  const { mail: t } = TEXTS[chooseLanguage([locale], undefined)];
  const [subject, ...lines] = write(t);
  const text = [t.hello(name), ...lines, config.NETWORK_NAME].join('\n\n');
  mail.send({ to: email, subject: `${subject} · ${config.NETWORK_NAME}`, text: `${text}\n` });
}
