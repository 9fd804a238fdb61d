import { changesRow, columnOf, type Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import type { Application } from './applications.ts';

/**
 * Every application needs a responsible person: an owner with an active account, or the operator who registered it.
 * When the accounts of all owners are disabled, or the last owner is deleted, the application is suspended until it has
 * an active owner again or the operator resumes it.
 */

const HAS_OWNER = sql`exists (select 1 from application_owners o where o.application_key = applications.key)`;
const HAS_ACTIVE_OWNER = sql`
  exists (select 1 from application_owners o join accounts a on a.id = o.account_id
    where o.application_key = applications.key and a.disabled is null)`;

/** The keys of the applications that an account owns. */
export const keysOwnedBy = (db: Queryable, accountId: string): Promise<number[]> =>
  columnOf(db, sql`select application_key from application_owners where account_id = ${accountId}`);

/** Suspends or resumes applications after a change of their owners or of the owners' accounts. */
export async function syncOwnerSuspension(tx: Queryable, applicationKeys: readonly number[]): Promise<void> {
  if (applicationKeys.length === 0) return;
  const selected = sql`key in (${list(applicationKeys)})`;
  await tx.runAll([
    // Locks the applications, so that a concurrent change of their owners waits and then sees the changes of this
    // transaction.
    sql`update applications set suspended = suspended where ${selected}`,
    sql`update applications set suspended = null where ${selected} and suspended is not null and ${HAS_ACTIVE_OWNER}`,
    sql`
      update applications set suspended = case when ${HAS_OWNER} then 'disabled' else 'deleted' end
      where ${selected} and (suspended is null or suspended = 'disabled') and not ${HAS_ACTIVE_OWNER}`,
  ]);
}

/** Resumes a suspended application, for which the operator is responsible from then on. */
export const resumeApplication = (db: Queryable, clientId: string): Promise<boolean> =>
  changesRow(db, sql`update applications set suspended = null where client_id = ${clientId} and suspended is not null`);

/** The names of the applications that would be suspended if this account were deleted. */
export async function ownedAlone(db: Queryable, accountId: string): Promise<string[]> {
  const rows = await db.tuples(sql`
    select p.name from application_owners o join applications p on p.key = o.application_key
    where o.account_id = ${accountId} and not exists (
      select 1 from application_owners b join accounts a on a.id = b.account_id
      where b.application_key = o.application_key and b.account_id <> o.account_id and a.disabled is null)
    order by p.name`);
  return rows.map(([name]) => name as string);
}

/** The error message about a suspended application, for its developers and its users. */
export function suspensionReason({ suspended }: Pick<Application, 'suspended'>): string | undefined {
  if (suspended === null) return undefined;
  const reason =
    suspended === 'disabled' ? 'the accounts of its owners are disabled' : 'its owners have deleted their accounts';
  return `The application is suspended: ${reason}. The operator of the network can resume it.`;
}
