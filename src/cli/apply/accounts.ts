import { z } from 'zod';
import { changeRole } from '#admin/accounts.ts';
import { ROLES } from '#store/accounts/accounts.ts';
import type { AppContext } from '#context/context.ts';
import { requireAccount } from '#admin/targets.ts';
import { performOrThrow } from '../command/operation-command.ts';
import { type Change, differencesOf } from './change.ts';
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
    changes,
    ...(changes.length > 0 && { warning: `${known.name} becomes ${role} instead of ${known.role}.` }),
    apply: (context) => performOrThrow(changeRole, context, known, { role }),
  };
}
