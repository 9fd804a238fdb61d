import { getValue, type Queryable, type Transactional } from '#db/db.ts';
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

export const ownersOf = (db: Queryable, applicationKey: number): Promise<Owner[]> =>
  db.all(sql`
    select o.account_id, a.name, o.added from application_owners o join accounts a on a.id = o.account_id
    where o.application_key = ${applicationKey} order by o.added, o.account_id`);

export const isOwner = async (db: Queryable, applicationKey: number, accountId: string): Promise<boolean> =>
  (await db.get(sql`
    select added from application_owners
    where application_key = ${applicationKey} and account_id = ${accountId}`)) !== undefined;

/** The applications of an account, newest first. */
export async function applicationsOwnedBy(db: Queryable, accountId: string): Promise<Application[]> {
  const rows = await db.all<{ client_id: string }>(sql`
    select a.client_id from application_owners o join applications a on a.key = o.application_key
    where o.account_id = ${accountId} order by o.application_key desc`);
  const found = await Promise.all(rows.map(({ client_id }) => applicationByClientId(db, client_id)));
  return found.filter((application) => application !== undefined);
}

export const countOwnedBy = async (db: Queryable, accountId: string): Promise<number> =>
  (await getValue<number>(db, sql`select count(*) from application_owners where account_id = ${accountId}`))!;

/** An invitation to own an application. The account becomes an owner when it accepts. */
export interface Invitation {
  client_id: string;
  application_name: string;
  account_id: string;
  account_name: string;
  /** The name of the inviting account; null if that account was deleted. */
  invited_by: string | null;
  expires: number;
}

const INVITATION_MS = 14 * 86_400_000;

const SELECT = sql`
  select p.client_id, p.name as application_name, i.account_id, a.name as account_name, b.name as invited_by, i.expires
  from owner_invitations i join applications p on p.key = i.application_key join accounts a on a.id = i.account_id
    left join accounts b on b.id = i.invited_by`;

/** The invitations of an account, newest first. */
export const listInvitations = (db: Queryable, now: number, accountId: string): Promise<Invitation[]> =>
  db.all(sql`${SELECT} where i.account_id = ${accountId} and i.expires > ${now} order by i.expires desc`);

/** The open invitations to an application. */
export const invitationsTo = (db: Queryable, now: number, applicationKey: number): Promise<Invitation[]> =>
  db.all(sql`
    ${SELECT} where i.application_key = ${applicationKey} and i.expires > ${now} order by i.expires, i.account_id`);

/**
 * Invites an account, or renews its invitation.
 * @returns false if the account is already an owner
 */
export const invite = async (
  db: Queryable,
  now: number,
  { applicationKey, accountId, invitedBy }: { applicationKey: number; accountId: string; invitedBy: string },
): Promise<boolean> =>
  (await db.run(sql`
    insert into owner_invitations (application_key, account_id, invited_by, expires)
    select key, cast(${accountId} as text), cast(${invitedBy} as text), cast(${now + INVITATION_MS} as bigint)
    from applications where key = ${applicationKey} and not exists (
      select 1 from application_owners o where o.application_key = applications.key and o.account_id = ${accountId})
    on conflict (application_key, account_id) do update set
      invited_by = excluded.invited_by, expires = excluded.expires`)) > 0;

export const endInvitation = async (db: Queryable, applicationKey: number, accountId: string): Promise<boolean> =>
  (await db.run(sql`
    delete from owner_invitations where application_key = ${applicationKey} and account_id = ${accountId}`)) > 0;

/** Makes an invited account an owner; false if there is no valid invitation. */
export async function acceptInvitation(
  db: Transactional,
  now: number,
  applicationKey: number,
  accountId: string,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const accepted = await tx.run(sql`
      delete from owner_invitations
      where application_key = ${applicationKey} and account_id = ${accountId} and expires > ${now}`);
    return accepted === 1 && (await addOwner(tx, now, applicationKey, accountId));
  });
}
