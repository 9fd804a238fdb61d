import type { Config } from '#platform/config/config.ts';
import { withoutAddresses } from '#text/text.ts';
import type { Mail } from '#platform/mail/mail.ts';
import type { AccessRequest } from '#store/applications/access-requests.ts';
import type { ApplicationChange } from '#store/applications/application-changes.ts';
import { type Recipient, textMail } from './text-mail.ts';
import type { AppContext } from '#context/context.ts';
import { type Account, accountById } from '#store/accounts/accounts.ts';
import { applicationByClientId } from '#store/applications/applications.ts';
import { ownersOf } from '#store/applications/owners.ts';
import { claimMails, endMail, type SwitchedOff } from '#store/applications/webhooks/webhooks.ts';

type Context = Pick<AppContext, 'config' | 'db' | 'mail'>;

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

/** Notifies an applicant of the operator's decision. */
export async function mailApplicant({ config, db, mail }: Context, request: AccessRequest): Promise<void> {
  const { account_id, kind, state, note, client_id } = request;
  const applicant = account_id === null ? undefined : await accountById(db, account_id);
  if (applicant === undefined) return;
  const application = withoutAddresses(request.application_name);
  const decision = state === 'approved' ? 'approved' : 'refused';
  const written = textMail(config, applicant, ({ application: t }) => [
    t.subject[decision](application),
    t[decision][kind](application),
    ...(note === '' ? [] : [t.note, note]),
    `${config.SITE_URL}/console/applications/${client_id}`,
  ]);
  mail.send(written);
}

/** What a mail to the owners of an application says about a change of it. */
interface ChangeNews {
  state: 'asked' | 'approved' | 'refused';
  /** The operator's note; empty if there is none. */
  note: string;
}

/** Tells the owners that a change of name, logo or redirect URIs waits, or how an operator has decided. */
export async function mailOwners(
  { config, db, mail }: Context,
  { client_id, old, account_name }: ApplicationChange,
  { state, note }: ChangeNews,
): Promise<void> {
  const found = await applicationByClientId(db, client_id);
  const application = withoutAddresses(old.name);
  const write: Parameters<typeof textMail>[2] = ({ change: t, deleted_account, application: { note: title } }) => [
    t[`${state}_subject`](application),
    state === 'asked' ? t.asked(withoutAddresses(account_name ?? deleted_account), application) : t[state](application),
    ...(note === '' ? [] : [title, note]),
    `${config.SITE_URL}/console/applications/${client_id}/settings`,
  ];
  for (const owner of found === undefined ? [] : await activeOwners(db, found.key))
    mail.send(textMail(config, owner, write));
}

async function activeOwners(db: Context['db'], key: number): Promise<Account[]> {
  const owners = await Promise.all((await ownersOf(db, key)).map(({ account_id }) => accountById(db, account_id)));
  return owners.filter((owner): owner is Account => owner !== undefined && owner.disabled === null);
}

/** Tells the owners of webhooks that these were switched off. Any number of processes may run this. */
export async function mailWebhookOwners({
  config,
  db,
  mail,
  clock,
}: Context & Pick<AppContext, 'clock'>): Promise<void> {
  for (const webhook of await claimMails(db, clock.now())) {
    const active = await activeOwners(db, webhook.application_key);
    let open = active.length;
    if (open === 0) await endMail(db, webhook);
    for (const owner of active)
      mail.send(offMail(config, owner, webhook), async () => {
        if (--open === 0) await endMail(db, webhook);
      });
  }
}

function offMail(
  config: Context['config'],
  recipient: Recipient,
  { id, client_id, application_name, url, reason }: SwitchedOff,
): Mail {
  const application = withoutAddresses(application_name);
  return textMail(config, recipient, ({ webhook: t }) => [
    t.subject(application),
    `${t.lead(application, withoutAddresses(new URL(url).host))} ${t.reasons[reason] ?? ''}`.trim(),
    t.next,
    `${config.SITE_URL}/console/applications/${client_id}/webhooks/${id}`,
  ]);
}
