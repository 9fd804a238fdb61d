import type { AppContext } from '#context/context.ts';
import { takeNotices } from '#store/accounts/account-notices.ts';
import { sendAlert } from '../mails.ts';

/** Mails the owners of accounts what happened to them outside of the pages. A job calls this. */
export async function mailNotices(context: AppContext): Promise<void> {
  for (const { account, label } of await takeNotices(context.db))
    sendAlert(context, account, (texts) => [texts.linked_subject, texts.linked(label)]);
}
