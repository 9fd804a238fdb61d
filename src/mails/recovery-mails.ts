import type { AppContext } from '#context/context.ts';
import type { Account } from '#store/accounts/accounts.ts';
import type { FactorReset } from '#store/accounts/factor-resets.ts';
import { type Recipient, textMail } from './text-mail.ts';
import type { Texts } from './texts/index.ts';

/**
 * The links and mails for a person whom an operator helps, in the console or by command. The links
 * lead to the sign-in service, which consumes their tokens.
 */

type Context = Pick<AppContext, 'config' | 'mail'>;

/** Sends the account's owner a link to choose a new password. */
export function mailResetLink(context: Context, account: Account, secret: string): void {
  const link = resetLink(context, secret);
  send(context, account, (t, own) => [own.reset_subject, t.reset, link]);
}

/**
 * Makes a link to choose a new password, which the operator hands over. It is not sent, so opening it does not confirm the
 * e-mail address; the address gets a notice. A link that is requested by mail does not replace it.
 */
export function makeResetLink(context: Context, account: Account, secret: string): string {
  send(context, account, (t) => [t.paper_subject, t.paper]);
  return resetLink(context, secret);
}

const resetLink = ({ config }: Context, secret: string): string => `${config.AUTH_URL}/reset?token=${secret}`;
const verifyLink = ({ config }: Context, secret: string): string => `${config.AUTH_URL}/verify?token=${secret}`;

/**
 * Tells the owner that staff resets the second factors. The link can only stop it, because a thief may read the mail. An address
 * that the account has only since some days gets the mail without it.
 */
export function mailFactorReset(context: Context, account: Account, { secret, effective, email }: FactorReset): void {
  const link = `${context.config.AUTH_URL}/factors/keep?token=${secret}`;
  const time = new Date(effective).toISOString().slice(0, 16).replace('T', ' ');
  send(context, { ...account, email }, (t) => [t.factors_subject, t.factors(`${time} UTC`), link]);
  if (email !== account.email) send(context, account, (t) => [t.factors_subject, t.factors_elsewhere(`${time} UTC`)]);
}

/** Tells the owner that a code to add a second factor was made. */
export function mailFactorCode(context: Context, account: Account, hadFactors: boolean): void {
  send(context, account, (t) => [t.factor_code_subject, hadFactors ? t.factor_code_reset : t.factor_code]);
}

/** Sends the link that confirms the present address of an account again. */
export function mailVerification(context: Context, account: Account, secret: string): void {
  const link = verifyLink(context, secret);
  send(context, account, (t, own) => [own.verify_subject, t.verify, link]);
}

/**
 * Notifies the present address of an account about another one.
 * @param secret of the link that is sent to the other address to confirm it; undefined if the address is changed
 */
export function mailAddressChange(context: Context, account: Account, email: string, secret: string | undefined): void {
  if (secret === undefined)
    return send(context, account, (t, own) => [own.email_changed_subject, t.address_changed(email)]);
  const link = verifyLink(context, secret);
  send(context, account, (t) => [t.address_changing_subject, t.address_changing(email)]);
  send(context, { ...account, email }, (t, own) => [own.email_subject, t.address, link]);
}

/** Notifies the owner of an account that a moderator has renamed it. */
export function mailNewName(context: Context, account: Account): void {
  send(context, account, (t) => [t.renamed_subject, t.renamed(account.name), `${context.config.AUTH_URL}/account`]);
}

function send(
  { config, mail }: Context,
  recipient: Recipient,
  write: (texts: Texts['help'], own: Texts['account']) => [subject: string, ...lines: string[]],
): void {
  mail.send(textMail(config, recipient, ({ help, account }) => write(help, account)));
}
