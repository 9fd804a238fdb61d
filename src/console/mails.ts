import type { Config } from '#platform/config/config.ts';
import { withoutAddresses } from '#platform/text/text.ts';
import { chooseLanguage } from '#http/languages.ts';
import type { Mail } from '#platform/mail/mail.ts';
import type { AccessRequest } from '#store/applications/access-requests.ts';
import type { ApplicationChange } from '#store/applications/application-changes.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { TEXTS } from './texts/index.ts';

/** Invites a person to own an application. `by` is the name of the owner who invites. */
export function invitationMail(
  config: Config,
  { name, email, locale }: Account,
  invitation: { application: string; by: string },
): Mail {
  const { mail: t } = TEXTS[chooseLanguage([locale], undefined)];
  const [application, by] = [withoutAddresses(invitation.application), withoutAddresses(invitation.by)];
  const lines = [t.hello(name), t.invited(by, application), `${config.SITE_URL}/console`, config.NETWORK_NAME];
  const subject = `${t.invited_subject(application)} · ${config.NETWORK_NAME}`;
  return { to: email, subject, text: `${lines.join('\n\n')}\n` };
}

/** Notifies a person whom the operator has made an owner. */
export function ownerMail(config: Config, { name, email, locale }: Account, applicationName: string): Mail {
  const { mail: t } = TEXTS[chooseLanguage([locale], undefined)];
  const application = withoutAddresses(applicationName);
  const lines = [t.hello(name), t.owner(application), `${config.SITE_URL}/console`, config.NETWORK_NAME];
  const subject = `${t.owner_subject(application)} · ${config.NETWORK_NAME}`;
  return { to: email, subject, text: `${lines.join('\n\n')}\n` };
}

/** Notifies an applicant of the operator's decision, in the language of the account. */
export function decisionMail(config: Config, { name, email, locale }: Account, request: AccessRequest): Mail {
  const { mail: t } = TEXTS[chooseLanguage([locale], undefined)];
  const { kind, state, note, client_id } = request;
  const application = withoutAddresses(request.application_name);
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

/** What a mail to the owners of an application says about a change of it. */
export interface ChangeNews {
  state: 'asked' | 'approved' | 'refused';
  /** The operator's note; empty if there is none. */
  note: string;
}

/** Tells an owner that a change of name or redirect URIs waits, or how an operator has decided. */
export function changeMail(
  config: Config,
  { name, email, locale }: Account,
  { client_id, old, account_name }: ApplicationChange,
  { state, note }: ChangeNews,
): Mail {
  const { mail, operator, changes: t } = TEXTS[chooseLanguage([locale], undefined)];
  const application = withoutAddresses(old.name);
  const by = withoutAddresses(account_name ?? operator.nobody);
  const lines = [
    mail.hello(name),
    state === 'asked' ? t.asked(by, application) : t[state](application),
    ...(note === '' ? [] : [`${mail.note}\n\n${note}`]),
    `${config.SITE_URL}/console/applications/${client_id}/settings`,
    config.NETWORK_NAME,
  ];
  const subject = `${t[`${state}_subject`](application)} · ${config.NETWORK_NAME}`;
  return { to: email, subject, text: `${lines.join('\n\n')}\n` };
}

/** Notifies the owner of an account that a moderator has renamed it. */
export function renamedMail(config: Config, { name, email, locale }: Account): Mail {
  const { mail, operator: t } = TEXTS[chooseLanguage([locale], undefined)];
  const lines = [mail.hello(name), t.renamed(name), `${config.AUTH_URL}/account`, config.NETWORK_NAME];
  return { to: email, subject: `${t.renamed_subject} · ${config.NETWORK_NAME}`, text: `${lines.join('\n\n')}\n` };
}
