import { html } from 'hono/html';
import type { AppContext } from '#context/context.ts';
import type { Html } from '#http/page.ts';
import { type AccountNotice, takeNotices } from '#store/accounts/account-notices.ts';
import { type Recipient, textsFor } from './text-mail.ts';
import type { Texts } from './texts/index.ts';

type Context = Pick<AppContext, 'config' | 'mail'>;
export type AccountTexts = Texts['account'];

/** Subject and paragraphs of a mail; a paragraph that is a URL becomes a link. */
type MailTemplate = (texts: AccountTexts) => [subject: string, ...lines: string[]];

/** Sends a mail in the recipient's language. It returns at once: the mailer queues the mail. */
export function sendMail({ config, mail }: Context, recipient: Recipient, template: MailTemplate): void {
  const { lang, hello, account: texts } = textsFor(recipient);
  const [subject, ...lines] = template(texts);
  const network = config.NETWORK_NAME;
  const paragraphs = [hello(recipient.name), ...lines, texts.footer(network)];
  const body = paragraphs.map((line) =>
    isLink(line) ? html`<p><a href="${line}">${line}</a></p>` : html`<p>${line}</p>`,
  );
  const page = html`<!doctype html>
    <html lang="${lang}">
      <head>
        <meta charset="utf-8" />
        <title>${subject}</title>
      </head>
      <body style="font-family: sans-serif; line-height: 1.6; max-width: 36em">
        ${body}
      </body>
    </html>`;
  mail.send({
    to: recipient.email,
    subject: `${subject} · ${network}`,
    text: `${paragraphs.join('\n\n')}\n`,
    html: primitiveString(page),
  });
}

/** Reports a change of the account by mail, with a link to choose a new password if another person made the change. */
export function sendAlert(
  context: Context,
  account: Recipient,
  template: (texts: AccountTexts) => [string, string],
): void {
  sendMail(context, account, (texts) => [...template(texts), texts.not_you, `${context.config.AUTH_URL}/forgot`]);
}

/** Sends a link of the sign-in service that has an effect. @param path with its secret */
export function sendLink(
  context: Context,
  recipient: Recipient,
  path: string,
  template: (texts: AccountTexts) => [string, string],
): void {
  sendMail(context, recipient, (texts) => [...template(texts), `${context.config.AUTH_URL}${path}`, texts.ignore]);
}

function isLink(line: string): boolean {
  return /^https?:\/\/\S+$/.test(line);
}

/** Hono's `html` returns a String object; the mailer needs a primitive string. */
function primitiveString(markup: Html): string {
  return (markup as unknown as { toString(): string }).toString();
}

/** Mails the owners of accounts what happened to them outside of the pages. A job calls this. */
export async function mailNotices(context: AppContext): Promise<void> {
  for (const notice of await takeNotices(context.db)) SENDERS[notice.kind](context, notice);
}

const SENDERS: Record<AccountNotice['kind'], (context: Context, notice: AccountNotice) => void> = {
  linked: (context, { account, label }) =>
    sendAlert(context, account, (texts) => [texts.linked_subject, texts.linked(label)]),
  factors_removed: (context, { account }) =>
    sendMail(context, account, (texts) => [
      texts.factors_removed_subject,
      texts.factors_removed,
      `${context.config.AUTH_URL}/account/security`,
    ]),
};
