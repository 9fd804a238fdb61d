import type { AppContext } from '#context/context.ts';
import { changeEmail, resetPassword, sendVerification } from '#admin/accounts.ts';
import { mailAddressChange, mailResetLink, mailVerification, makeResetLink } from '#mails/recovery-mails.ts';
import { type Account, accountById } from '#store/accounts/accounts.ts';
import { type Command, timestampOf } from './command/command.ts';
import { command } from './command/operation-command.ts';

/** Commands that help a person who cannot sign in. */
export const commands: Command[] = [
  command(resetPassword, 'account reset-password', {
    result: async (context, account, { secret, expires }, { paper }) => {
      if (paper)
        return await helped(context, account, {
          link: makeResetLink(context, account, secret),
          expires: timestampOf(expires),
        });
      mailResetLink(context, account, secret);
      return await helped(context, account, { sent_to: account.email });
    },
  }),
  command(changeEmail, 'account email', {
    result: async (context, account, { secret }, { email }) => {
      mailAddressChange(context, account, email, secret);
      return await helped(context, account, secret === undefined ? {} : { sent_to: email });
    },
  }),
  command(sendVerification, 'account send-verification', {
    result: async (context, account, { secret }) => {
      mailVerification(context, account, secret);
      return await helped(context, account, { sent_to: account.email });
    },
  }),
];

/** Waits for the mails. @returns the account with `result` */
async function helped({ db, mail }: AppContext, account: Account, result: Record<string, unknown>) {
  await mail.settled();
  const { id, name, email, email_verified } = (await accountById(db, account.id))!;
  return { id, name, email, email_verified, ...result };
}
