import type { Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import type { Application } from './applications.ts';

/**
 * An application goes on as long as somebody answers for it: one of its owners, or the operator who registered it. When
 * the accounts of all its owners are disabled, or the last of them is deleted, it stops, until there is an owner again or
 * the operator starts it.
 */

const SOMEBODY = sql`exists (select 1 from application_owners o where o.application_key = applications.key)`;
const SOMEBODY_OPEN = sql`
  exists (select 1 from application_owners o join accounts a on a.id = o.account_id
    where o.application_key = applications.key and a.disabled is null)`;

/** The keys of the applications that an account owns. */
export async function keysOwnedBy(db: Queryable, accountId: string): Promise<number[]> {
  const rows = await db.tuples(sql`select application_key from application_owners where account_id = ${accountId}`);
  return rows.map(([key]) => key as number);
}

/** Stops and starts applications after their owners, or the accounts of those, have changed. */
export async function syncOwnerSuspension(tx: Queryable, applicationKeys: readonly number[]): Promise<void> {
  if (applicationKeys.length === 0) return;
  const these = sql`key in (${list(applicationKeys)})`;
  await tx.runAll([
    // Whoever changes the owners of the same application meanwhile waits here, and sees what this one has changed.
    sql`update applications set suspended = suspended where ${these}`,
    sql`update applications set suspended = null where ${these} and suspended is not null and ${SOMEBODY_OPEN}`,
    sql`
      update applications set suspended = case when ${SOMEBODY} then 'disabled' else 'deleted' end
      where ${these} and (suspended is null or suspended = 'disabled') and not ${SOMEBODY_OPEN}`,
  ]);
}

/** Starts an application for which the operator answers from now on. */
export async function resumeApplication(db: Queryable, clientId: string): Promise<boolean> {
  return (
    (await db.run(
      sql`update applications set suspended = null where client_id = ${clientId} and suspended is not null`,
    )) === 1
  );
}

/** The applications that stop when an account goes, by name. */
export async function ownedAlone(db: Queryable, accountId: string): Promise<string[]> {
  const rows = await db.tuples(sql`
    select p.name from application_owners o join applications p on p.key = o.application_key
    where o.account_id = ${accountId} and not exists (
      select 1 from application_owners b join accounts a on a.id = b.account_id
      where b.application_key = o.application_key and b.account_id <> o.account_id and a.disabled is null)
    order by p.name`);
  return rows.map(([name]) => name as string);
}

/** Why an application is refused, for its developers and for whoever comes from it. */
export function suspensionReason({ suspended }: Pick<Application, 'suspended'>): string | undefined {
  if (suspended === null) return undefined;
  const reason =
    suspended === 'disabled' ? 'the accounts of its owners are disabled' : 'its owners have deleted their accounts';
  return `The application is suspended: ${reason}. The operator of the network can start it again.`;
}
