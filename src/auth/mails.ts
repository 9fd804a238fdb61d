import { html } from 'hono/html';
import { chooseLanguage } from '#http/languages.ts';
import type { Html } from '#http/page.ts';
import type { Account } from '#store/accounts/accounts.ts';
import type { Deps } from './deps.ts';
import { TEXTS, type Texts } from './texts/index.ts';

type Recipient = Pick<Account, 'name' | 'email' | 'locale'>;

type MailDeps = Pick<Deps, 'config' | 'mail'>;

/** Subject and paragraphs of a mail; a paragraph that is a URL becomes a link. */
type MailTemplate = (texts: Texts['mail']) => { subject: string; lines: string[] };

/** Sends a mail in the recipient's language. It returns at once: the mailer queues the mail. */
export function sendMail(deps: MailDeps, { name, email, locale }: Recipient, template: MailTemplate): void {
  const { mail: texts, lang } = TEXTS[chooseLanguage([locale], undefined)];
  const { subject, lines } = template(texts);
  const network = deps.config.NETWORK_NAME;
  const paragraphs = [texts.greeting(name), ...lines, texts.footer(network)];
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
  deps.mail.send({
    to: email,
    subject: `${subject} · ${network}`,
    text: `${paragraphs.join('\n\n')}\n`,
    html: primitiveString(page),
  });
}

/** Reports a change of the account by mail, with a link to choose a new password if another person made the change. */
export function sendAlert(
  deps: MailDeps,
  account: Recipient,
  template: (texts: Texts['mail']) => [string, string],
): void {
  sendMail(deps, account, (texts) => {
    const [subject, sentence] = template(texts);
    return { subject, lines: [sentence, texts.not_you, `${deps.config.AUTH_URL}/forgot`] };
  });
}

function isLink(line: string): boolean {
  return /^https?:\/\/\S+$/.test(line);
}

/** Hono's `html` returns a String object; the mailer needs a primitive string. */
function primitiveString(markup: Html): string {
  return (markup as unknown as { toString(): string }).toString();
}
