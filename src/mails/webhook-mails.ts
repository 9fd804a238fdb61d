import type { AppContext } from '#context/context.ts';
import { withoutAddresses } from '#text/text.ts';
import type { Mail } from '#platform/mail/mail.ts';
import { type Account, accountById } from '#store/accounts/accounts.ts';
import { ownersOf } from '#store/applications/owners.ts';
import { claimMails, endMail, type SwitchedOff } from '#store/applications/webhooks/webhooks.ts';
import { type Recipient, textMail } from './text-mail.ts';

type Context = Pick<AppContext, 'config' | 'db' | 'mail' | 'clock'>;

/** Tells the owners of webhooks that these were switched off. Any number of processes may run this. */
export async function mailWebhookOwners({ config, db, mail, clock }: Context): Promise<void> {
  for (const webhook of await claimMails(db, clock.now())) {
    const owners = await Promise.all(
      (await ownersOf(db, webhook.application_key)).map(({ account_id }) => accountById(db, account_id)),
    );
    const active = owners.filter((owner): owner is Account => owner !== undefined && owner.disabled === null);
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
