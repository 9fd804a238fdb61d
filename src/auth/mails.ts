import { html } from 'hono/html';
import { chooseLanguage } from '#http/languages.ts';
import type { Html } from '#http/page.ts';
import type { Account } from '#store/accounts/accounts.ts';
import type { Deps } from './deps.ts';
import { TEXTS, type Texts } from './texts/index.ts';

type Addressee = Pick<Account, 'name' | 'email' | 'locale'>;

/** A mail's subject and sentences; a sentence that is an address of ours becomes a link. */
type Letter = (texts: Texts['mail']) => { subject: string; lines: string[] };

/** Writes to somebody in the language they use. */
export function write(deps: Deps, { name, email, locale }: Addressee, letter: Letter): void {
  const { mail: texts, lang } = TEXTS[chooseLanguage([locale], undefined)];
  const { subject, lines } = letter(texts);
  const network = deps.config.NETWORK_NAME;
  const all = [texts.greeting(name), ...lines, texts.footer(network)];
  const body = all.map((line) => (isLink(line) ? html`<p><a href="${line}">${line}</a></p>` : html`<p>${line}</p>`));
  const page = html`<!doctype html>
    <html lang="${lang}">
      <body style="font-family: sans-serif; line-height: 1.6; max-width: 36em">
        ${body}
      </body>
    </html>`;
  deps.mail.send({
    to: email,
    subject: `${subject} · ${network}`,
    text: `${all.join('\n\n')}\n`,
    html: textOf(page),
  });
}

/** Tells somebody that something about the account has changed, and what to do if it was somebody else. */
export function warn(deps: Deps, account: Addressee, letter: (texts: Texts['mail']) => [string, string]): void {
  write(deps, account, (texts) => {
    const [subject, sentence] = letter(texts);
    return { subject, lines: [sentence, texts.not_you, `${deps.config.AUTH_URL}/forgot`] };
  });
}

function isLink(line: string): boolean {
  return /^https?:\/\/\S+$/.test(line);
}

/** What a template gives is an object that stands for its text; a mail wants the text itself. */
function textOf(markup: Html): string {
  return (markup as unknown as { toString(): string }).toString();
}
