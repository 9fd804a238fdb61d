import { z } from 'zod';
import { UsageError } from '#platform/errors.ts';
import { changeRole } from '#admin/accounts.ts';
import { perform } from '#admin/operation.ts';
import { type Account, ROLES } from '#store/accounts/accounts.ts';
import type { AppContext } from '#context/context.ts';
import { commandActor } from '../command/command.ts';
import { lastOperatorMessage, requireAccount } from '../command/lookup.ts';
import { type Applied, type Change, differencesOf } from './change.ts';
import { readEntries } from './file.ts';

const account = z.strictObject({ name: z.string(), role: z.enum(ROLES) });

/** The role of an account that exists. A file creates no accounts, because an account begins with its owner's password. */
type AccountEntry = z.output<typeof account>;

/** @throws UsageError that names the entry and what is wrong with it */
export const readAccounts = (path: string, list: unknown): AccountEntry[] =>
  readEntries(path, 'account', list, account);

export async function accountChange({ db }: Pick<AppContext, 'db'>, { name, role }: AccountEntry): Promise<Change> {
  const known = await requireAccount(db, name);
  const changes = differencesOf({ role: known.role }, { role });
  return {
    kind: 'account',
    name: known.name,
    action: changes.length > 0 ? 'change' : 'unchanged',
    changes,
    ...(changes.length > 0 && { warning: `${known.name} becomes ${role} instead of ${known.role}.` }),
    apply: (context) => applyRole(context, known, role),
  };
}

async function applyRole(context: AppContext, known: Account, role: AccountEntry['role']): Promise<Applied> {
  const outcome = await perform(changeRole, { ...context, actor: commandActor() }, known, { role });
  if ('refused' in outcome) throw new UsageError(lastOperatorMessage(known.name));
  return {};
}
