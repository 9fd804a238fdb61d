import type { Config } from '#platform/config/config.ts';
import type { Mail } from '#platform/mail/mail.ts';
import { chooseLanguage } from '#http/languages.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { TEXTS, type Texts } from './texts/index.ts';

export type Recipient = Pick<Account, 'name' | 'email' | 'locale'>;

/** The texts of mails in the recipient's language. */
export const textsFor = ({ locale }: Recipient): Texts => TEXTS[chooseLanguage([locale], undefined)];

/** A mail of plain text, in the recipient's language. `write` returns its subject and paragraphs. */
export function textMail(
  { NETWORK_NAME }: Config,
  recipient: Recipient,
  write: (texts: Texts) => [subject: string, ...lines: string[]],
): Mail {
  const texts = textsFor(recipient);
  const [subject, ...lines] = write(texts);
  const text = [texts.hello(recipient.name), ...lines, NETWORK_NAME].join('\n\n');
  return { to: recipient.email, subject: `${subject} · ${NETWORK_NAME}`, text: `${text}\n` };
}
