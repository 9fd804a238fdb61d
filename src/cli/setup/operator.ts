import { randomBytes } from 'node:crypto';
import { UsageError } from '#platform/errors.ts';
import { hashPassword } from '#platform/crypto/passwords.ts';
import { factorCodeCommand } from '#context/command-name.ts';
import type { AppContext } from '#context/context.ts';
import { activeOperators, createAccount, nameProblem } from '#store/accounts/accounts.ts';
import { FACTOR_CODE_MS, newFactorCode } from '#store/accounts/factor-codes.ts';
import { recordAudit } from '#store/audit/audit.ts';
import { commandActor } from '../command/command.ts';

export interface Person {
  name: string;
  email: string;
  /** Undefined: one is generated. */
  password: string | undefined;
}

/**
 * Creates the account of the first operator, with the code for the second factor, unless there is an operator.
 * @param who asked only if an account is needed
 * @returns lines that say what was done, with what is shown once
 */
export async function provideOperator({ db, clock }: AppContext, who: () => Promise<Person>): Promise<string[]> {
  const [known] = await activeOperators(db);
  if (known !== undefined)
    return [`Operator: ${known.name} exists and is kept. Another code: ${factorCodeCommand(known.name)}`];
  const person = await who();
  const { name, email, password = randomBytes(15).toString('base64url') } = person;
  const problem = await nameProblem(db, name);
  if (problem !== undefined) throw new UsageError(`An account or a player has the name ${name} already: --operator.`);
  const hashed = await hashPassword(password);
  const now = clock.now();
  const code = await db.transaction(async (tx) => {
    const facts = { name, email, role: 'operator', password: hashed, email_verified: true } as const;
    const account = await createAccount(tx, now, facts);
    if (typeof account === 'string')
      throw new UsageError(`Another account has this ${account.replace(' taken', '')} already.`);
    const about = { subject: account.id, label: name };
    await recordAudit(tx, now, commandActor(), { action: 'account.create', ...about, detail: { role: 'operator' } });
    await recordAudit(tx, now, commandActor(), { action: 'account.factor_code', ...about, detail: {} });
    return await newFactorCode(tx, now, account.id);
  });
  return [
    `Operator: ${name} was created. Shown once:`,
    ...(person.password === undefined ? [`  password  ${password}`] : []),
    `  code      ${code}  for the second factor, until ${new Date(now + FACTOR_CODE_MS).toISOString()}`,
  ];
}
