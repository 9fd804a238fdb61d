import { withoutAddresses } from '#platform/text/text.ts';
import type { Config } from '#platform/config/config.ts';
import { idOf } from '#platform/ids.ts';
import type { Mail } from '#platform/mail/mail.ts';
import { chooseLanguage, LOCALES } from '#http/languages.ts';
import type { Account } from '#store/accounts/accounts.ts';
import type { ApplicationChange } from '#store/applications/application-changes.ts';
import type { AccessRequest } from '#store/applications/access-requests.ts';
import type { RefusingServer, SilentServer } from '#store/mail/operator-mails.ts';
import { TEXTS, type Texts } from '../texts/index.ts';

/** A mail to the operators, in the language of one of them. */
export type OperatorMail = (texts: Texts) => { subject: string; lines: string[] };

/** Writes a mail to one operator, with greeting and footer. */
export function mailTo(config: Config, { name, email, locale }: Account, write: OperatorMail): Mail {
  const texts = TEXTS[chooseLanguage([locale], undefined)];
  const { subject, lines } = write(texts);
  const { mail: t } = texts;
  const paragraphs = [t.hello(name), ...lines, t.operator.footer, config.NETWORK_NAME];
  return { to: email, subject: `${subject} · ${config.NETWORK_NAME}`, text: `${paragraphs.join('\n\n')}\n` };
}

const listOf = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');

export function requestsMail(
  { mail: { operator: t }, operator, changes }: Texts,
  { SITE_URL }: Config,
  waiting: readonly AccessRequest[],
  changed: readonly ApplicationChange[],
): ReturnType<OperatorMail> {
  const ofChanges = changed.map(({ old, account_name }) =>
    changes.operator_line(withoutAddresses(old.name), withoutAddresses(account_name ?? operator.nobody)),
  );
  const requests = waiting.map(({ application_name, account_name }) =>
    t.request(withoutAddresses(application_name), withoutAddresses(account_name ?? operator.nobody)),
  );
  return {
    subject: t.requests_subject(waiting.length + changed.length),
    lines: [t.requests, listOf([...requests, ...ofChanges]), `${SITE_URL}/console/operator`],
  };
}

export function silentServersMail(
  { mail: { operator: t }, lang }: Texts,
  { SITE_URL, TIME_ZONE }: Config,
  servers: readonly SilentServer[],
): ReturnType<OperatorMail> {
  const format = new Intl.DateTimeFormat(LOCALES[lang], {
    dateStyle: 'medium',
    timeStyle: 'long',
    timeZone: TIME_ZONE,
  });
  const lines = servers.map(({ name, received }) => t.silent_server(name, format.format(received)));
  return {
    subject: t.silent_subject(servers.length),
    lines: [t.silent, listOf(lines), t.silent_hint, `${SITE_URL}/console/operator/servers`],
  };
}

export function refusalsMail(
  { mail: { operator: t }, lang }: Texts,
  { SITE_URL }: Config,
  servers: readonly RefusingServer[],
): ReturnType<OperatorMail> {
  const lines = servers.map(
    ({ key, name, count, reason }) =>
      `${t.refusing_server(name, count.toLocaleString(LOCALES[lang]), reason)}\n  ${SITE_URL}/console/operator/servers/${idOf(key)}`,
  );
  return { subject: t.refusals_subject, lines: [t.refusals, listOf(lines)] };
}
