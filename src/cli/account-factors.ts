import { amount } from '#text/amount.ts';
import { UsageError } from '#platform/errors.ts';
import { resetFactors } from '#admin/factors.ts';
import { mailFactorCode, mailFactorReset } from '#mails/recovery-mails.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { FACTOR_CODE_MS, newFactorCode } from '#store/accounts/factor-codes.ts';
import { type Factors, factorsOf } from '#store/accounts/factors.ts';
import { recordAudit } from '#store/audit/audit.ts';
import { type Command, commandActor, type Input, optionsOf, timestampOf, withAppContext } from './command/command.ts';
import { CONFIRMATION, isConfirmed, command } from './command/operation-command.ts';
import { byAccount } from '#admin/targets.ts';

/** Commands about second factors. Only `account factor-code` resets those of staff: it needs the server, not the console. */
export const commands: Command[] = [
  {
    words: 'account factor-code',
    summary:
      'Make the code with which an operator or moderator adds a second factor; those that the account has are removed',
    options: { ...optionsOf(byAccount), ...CONFIRMATION },
    run: makeCode,
  },
  command(resetFactors, 'account reset-factors', {
    confirm: ({ id, name }, factors) => ({
      act: `This removes ${listed(factors)} of ${name} in a day, unless the owner stops it.`,
      impact: { id, name, ...counted(factors) },
    }),
    result: async (context, account, reset) => {
      mailFactorReset(context, account, reset);
      await context.mail.settled();
      return { id: account.id, name: account.name, effective: timestampOf(reset.effective), sent_to: reset.email };
    },
  }),
];

async function makeCode(input: Input): Promise<void> {
  await withAppContext(input, async (context) => {
    const account = await input.find(byAccount, context.db);
    const { id, name, role } = account;
    if (role === 'user')
      throw new UsageError(
        `${name} is neither an operator nor a moderator. Give a role first with "account role", or see: scorehall account reset-factors --help`,
      );
    const factors = await factorsOf(context.db, id);
    const impact = { id, name, role, ...counted(factors) };
    if (!isConfirmed(input, effectOf(account, factors), impact)) return;
    const now = context.clock.now();
    const code = await context.db.transaction(async (tx) => {
      const made = await newFactorCode(tx, now, id);
      const act = { action: 'account.factor_code', subject: id, label: name, detail: counted(factors) };
      if (made !== undefined) await recordAudit(tx, now, commandActor(), act);
      return made;
    });
    if (code === undefined) throw new UsageError(`The account ${name} is disabled, or has no role any more.`);
    mailFactorCode(context, account, has(factors));
    // Before the mail has left: somebody who has to get in does not wait for a mail server that is down.
    const enter_at = `${context.config.AUTH_URL}/account/security`;
    input.print({ id, name, role, code, expires: timestampOf(now + FACTOR_CODE_MS), enter_at });
    await context.mail.settled();
  });
}

function effectOf({ name, role }: Account, factors: Factors): string {
  const removed = has(factors) ? ` removes ${listed(factors)} of ${name}, signs ${name} out everywhere, and` : '';
  return `This${removed} makes a code with which ${name} (${role}) adds a second factor within the hour: hand it over in person.`;
}

const has = ({ passkeys, totp }: Factors): boolean => passkeys.length > 0 || totp !== undefined;

const listed = ({ passkeys, totp, recovery_codes }: Factors): string =>
  `${amount(passkeys.length, 'passkey')}, ${totp === undefined ? 'no' : 'the'} authenticator app and ${amount(recovery_codes, 'recovery code')}`;

const counted = ({ passkeys, totp, recovery_codes }: Factors) => ({
  ...{ passkeys: passkeys.length, authenticator_app: totp !== undefined, recovery_codes },
});
