import type { Config } from '#base/config.ts';
import { chooseLanguage } from '#base/languages.ts';
import type { Mail } from '#base/mail.ts';
import type { AccessRequest } from '#records/access-requests.ts';
import type { Account } from '#records/accounts.ts';
import { TEXTS } from './texts/index.ts';

/** Tells an applicant, in the language of the account, what the operator has decided. */
export function decisionMail(config: Config, { name, email, locale }: Account, request: AccessRequest): Mail {
  const { mail: t } = TEXTS[chooseLanguage([locale], undefined)];
  const { application_name: application, kind, state, note, client_id } = request;
  const lines = [
    t.hello(name),
    t[state === 'approved' ? 'approved' : 'refused'][kind](application),
    ...(note === '' ? [] : [`${t.note}\n\n${note}`]),
    `${config.SITE_URL}/console/applications/${client_id}`,
    config.NETWORK_NAME,
  ];
  const subject = `${t.subject[state === 'approved' ? 'approved' : 'refused'](application)} · ${config.NETWORK_NAME}`;
  return { to: email, subject, text: `${lines.join('\n\n')}\n` };
}
