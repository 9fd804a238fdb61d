import type { AppContext } from '#context/context.ts';
import { changeEmail, resetPassword, sendVerification } from '#admin/accounts.ts';
import { mailAddressChange, mailResetLink, mailVerification, makeResetLink } from '#mails/recovery-mails.ts';
import { type Account, accountById } from '#store/accounts/accounts.ts';
import { type Command, timestampOf } from './command/command.ts';
import { byAccount } from './command/lookup.ts';
import { command } from './command/operation-command.ts';

const disabled = ({ name }: Account): string =>
  `The account ${name} is disabled; enable it first: scorehall account disable --undo`;

/** Commands that help a person who cannot sign in. */
export const commands: Command[] = [
  command(resetPassword, {
    words: 'account reset-password',
    summary: 'Send a link with which the person chooses a new password; it works once, for one day',
    row: byAccount,
    options: { paper: { help: 'Print the link to hand it over, instead of sending it by mail' } },
    refused: { disabled },
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
  command(changeEmail, {
    words: 'account email',
    summary: 'Change the e-mail address of an account, once its owner opens a link that is sent to it',
    row: byAccount,
    options: {
      email: { help: 'The new e-mail address' },
      verified: { help: 'Change it now, as confirmed: you have checked whose address it is' },
    },
    refused: {
      disabled,
      same: ({ name }, { email }) => `${email} is already the address of ${name}.`,
      taken: (_, { email }) => `Another account has the address ${email}.`,
    },
    result: async (context, account, { secret }, { email }) => {
      mailAddressChange(context, account, email, secret);
      return await helped(context, account, secret === undefined ? {} : { sent_to: email });
    },
  }),
  command(sendVerification, {
    words: 'account send-verification',
    summary: 'Send the link that confirms the e-mail address of an account again',
    row: byAccount,
    options: {},
    refused: { disabled, verified: ({ email }) => `The address ${email} is confirmed already.` },
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
