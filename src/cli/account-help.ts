import { UsageError } from '#platform/errors.ts';
import { isEmail } from '#platform/email.ts';
import type { AppContext } from '#context/context.ts';
import { changeAddress, mailResetLink, makeResetLink, resendVerification } from '#console/account-recovery.ts';
import { type Account, accountById } from '#store/accounts/accounts.ts';
import { ACCOUNT, type Command, type Input, print, required, withAppContext } from './command/command.ts';
import { requireAccount } from './command/lookup.ts';

/** Commands that help somebody who cannot sign in. */
export const commands: Command[] = [
  {
    words: 'account reset-password',
    audit: { action: 'account.reset_password', about: 'id' },
    summary: 'Send a link with which the person chooses a new password; it works once, for one day',
    options: {
      ...ACCOUNT,
      paper: { type: 'boolean', help: 'Print the link to hand it over, instead of sending it by mail' },
    },
    run: (input) => help(input, (context, account) => resetPassword(input, context, account)),
  },
  {
    words: 'account email',
    audit: { action: 'account.email', about: 'id' },
    summary: 'Change the e-mail address of an account, once its owner opens a link that is sent to it',
    options: {
      ...ACCOUNT,
      email: { type: 'string', required: true, help: 'The new e-mail address' },
      verified: { type: 'boolean', help: 'Change it now, as confirmed: you have checked whose address it is' },
    },
    run: (input) => help(input, (context, account) => changeEmail(input, context, account)),
  },
  {
    words: 'account send-verification',
    audit: { action: 'account.verification', about: 'id' },
    summary: 'Send the link that confirms the e-mail address of an account again',
    options: ACCOUNT,
    run: (input) => help(input, sendVerification),
  },
];

type Help = (context: AppContext, account: Account) => Promise<Record<string, unknown>>;

/** Runs `work` on the account that `--account` names, and prints the account with what `work` returns. */
async function help(input: Input, work: Help): Promise<void> {
  await withAppContext(input, async (context) => {
    const account = await requireAccount(context.db, required(input, 'account'));
    if (account.disabled !== null)
      throw new UsageError(
        `The account ${account.name} is disabled; enable it first: scorehall account disable --undo`,
      );
    const result = await work(context, account);
    await context.mail.settled();
    const { id, name, email, email_verified } = (await accountById(context.db, account.id))!;
    print(input, { id, name, email, email_verified, ...result });
  });
}

async function resetPassword(input: Input, context: AppContext, account: Account): Promise<Record<string, unknown>> {
  if (input.values['paper'] !== true) {
    await mailResetLink(context, account);
    return { sent_to: account.email };
  }
  const { link, expires } = await makeResetLink(context, account);
  return { link, expires: new Date(expires).toISOString() };
}

async function changeEmail(input: Input, context: AppContext, account: Account): Promise<Record<string, unknown>> {
  const email = required(input, 'email');
  if (!isEmail(email)) throw new UsageError(`--email must be an address like name@example.org (it is "${email}").`);
  if (email === account.email) throw new UsageError(`${email} is already the address of ${account.name}.`);
  const now = input.values['verified'] === true;
  if (!(await changeAddress(context, account, email, now)))
    throw new UsageError(`Another account has the address ${email}.`);
  return now ? {} : { sent_to: email };
}

async function sendVerification(context: AppContext, account: Account): Promise<Record<string, unknown>> {
  if (account.email_verified) throw new UsageError(`The address ${account.email} is confirmed already.`);
  await resendVerification(context, account);
  return { sent_to: account.email };
}
