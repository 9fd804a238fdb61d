import type { Config } from '#platform/config/config.ts';
import { withoutAddresses } from '#text/text.ts';
import type { Mail } from '#platform/mail/mail.ts';
import type { AccessRequest } from '#store/applications/access-requests.ts';
import type { ApplicationChange } from '#store/applications/application-changes.ts';
import { type Recipient, textMail } from './text-mail.ts';

/** Invites a person to own an application. `by` is the name of the owner who invites. */
export function invitationMail(
  config: Config,
  recipient: Recipient,
  invitation: { application: string; by: string },
): Mail {
  const [application, by] = [withoutAddresses(invitation.application), withoutAddresses(invitation.by)];
  return textMail(config, recipient, ({ application: t }) => [
    t.invited_subject(application),
    t.invited(by, application),
    `${config.SITE_URL}/console`,
  ]);
}

/** Notifies a person whom the operator has made an owner. */
export function ownerMail(config: Config, recipient: Recipient, applicationName: string): Mail {
  const application = withoutAddresses(applicationName);
  return textMail(config, recipient, ({ application: t }) => [
    t.owner_subject(application),
    t.owner(application),
    `${config.SITE_URL}/console`,
  ]);
}

/** Notifies an applicant of the operator's decision, in the language of the account. */
export function decisionMail(
  config: Config,
  recipient: Recipient,
  { kind, state, note, client_id, application_name }: AccessRequest,
): Mail {
  const application = withoutAddresses(application_name);
  const decision = state === 'approved' ? 'approved' : 'refused';
  return textMail(config, recipient, ({ application: t }) => [
    t.subject[decision](application),
    t[decision][kind](application),
    ...(note === '' ? [] : [t.note, note]),
    `${config.SITE_URL}/console/applications/${client_id}`,
  ]);
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
  recipient: Recipient,
  { client_id, old, account_name }: ApplicationChange,
  { state, note }: ChangeNews,
): Mail {
  const application = withoutAddresses(old.name);
  return textMail(config, recipient, ({ change: t, deleted_account, application: { note: title } }) => [
    t[`${state}_subject`](application),
    state === 'asked' ? t.asked(withoutAddresses(account_name ?? deleted_account), application) : t[state](application),
    ...(note === '' ? [] : [title, note]),
    `${config.SITE_URL}/console/applications/${client_id}/settings`,
  ]);
}
