import type { Queryable, Transactional } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type Application, applicationByClientId } from './applications.ts';
import { syncOwnerSuspension } from './suspension.ts';

/** An account that may change an application in the console. */
export interface Owner {
  account_id: string;
  name: string;
  added: number;
}

/** Maximum applications per owner; the operator can register more by command. */
export const MAX_OWNED = 50;

export async function addOwner(db: Transactional, now: number, application: number, account: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const added = await tx.run(sql`
      insert into application_owners (application_key, account_id, added) values (${application}, ${account}, ${now})
      on conflict (application_key, account_id) do nothing`);
    await syncOwnerSuspension(tx, [application]);
    return added === 1;
  });
}

/** @returns false if the account is not an owner, or is the only one */
export async function removeOwner(db: Transactional, applicationKey: number, accountId: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const removed = await tx.run(sql`
      delete from application_owners where application_key = ${applicationKey} and account_id = ${accountId}
        and exists (select 1 from application_owners o
          where o.application_key = ${applicationKey} and o.account_id <> ${accountId})`);
    await syncOwnerSuspension(tx, [applicationKey]);
    return removed === 1;
  });
}

export async function ownersOf(db: Queryable, applicationKey: number): Promise<Owner[]> {
  return await db.all<Owner>(sql`
    select o.account_id, a.name, o.added from application_owners o join accounts a on a.id = o.account_id
    where o.application_key = ${applicationKey} order by o.added, o.account_id`);
}

export async function isOwner(db: Queryable, applicationKey: number, accountId: string): Promise<boolean> {
  const row = await db.get(sql`
    select added from application_owners where application_key = ${applicationKey} and account_id = ${accountId}`);
  return row !== undefined;
}

/** The applications of an account, newest first. */
export async function applicationsOwnedBy(db: Queryable, accountId: string): Promise<Application[]> {
  const rows = await db.all<{ client_id: string }>(sql`
    select a.client_id from application_owners o join applications a on a.key = o.application_key
    where o.account_id = ${accountId} order by o.application_key desc`);
  const found = await Promise.all(rows.map(({ client_id }) => applicationByClientId(db, client_id)));
  return found.filter((application) => application !== undefined);
}

export async function countOwnedBy(db: Queryable, accountId: string): Promise<number> {
  const row = await db.get<{ count: number }>(
    sql`select count(*) as count from application_owners where account_id = ${accountId}`,
  );
  return row!.count;
}
