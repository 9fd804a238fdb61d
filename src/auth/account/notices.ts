import type { AppContext } from '#context/context.ts';
import { type AccountNotice, takeNotices } from '#store/accounts/account-notices.ts';
import { sendAlert, sendMail } from '../mails.ts';

/** Mails the owners of accounts what happened to them outside of the pages. A job calls this. */
export async function mailNotices(context: AppContext): Promise<void> {
  for (const notice of await takeNotices(context.db)) SENDERS[notice.kind](context, notice);
}

const SENDERS: Record<AccountNotice['kind'], (context: AppContext, notice: AccountNotice) => void> = {
  linked: (context, { account, label }) =>
    sendAlert(context, account, (texts) => [texts.linked_subject, texts.linked(label)]),
  factors_removed: (context, { account }) =>
    sendMail(context, account, (texts) => ({
      subject: texts.factors_removed_subject,
      lines: [texts.factors_removed, `${context.config.AUTH_URL}/account/security`],
    })),
};
