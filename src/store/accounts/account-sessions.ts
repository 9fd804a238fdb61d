import { secretHash } from '#platform/crypto/secrets.ts';
import { getValue, type Queryable } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import type { Account } from './accounts.ts';

/** A sign-in session of one browser. */
export interface AccountSession {
  /** The hash of the session's uid: identifies the session, but is no credential. */
  uid_hash: string;
  created: number;
  seen: number;
  address: string;
  agent: string;
}

/** The origin of a request, as shown on the account page. */
export interface ClientInfo {
  address: string;
  agent: string;
}

export const sessionsOf = (db: Queryable, accountId: string, now: number): Promise<AccountSession[]> =>
  db.all(sql`
    select s.uid_hash, s.created, s.seen, s.address, s.agent
    from account_sessions s join tokens t on t.uid_hash = s.uid_hash and t.kind = 'Session'
    where s.account_id = ${accountId} and t.account_id = ${accountId} and t.expires > ${now} order by s.seen desc`);

/** A session ends this long after it began, however often it is used. */
const MAX_SESSION_MS = 30 * 86_400_000;

export async function lastSessionEnd(db: Queryable, uid: string, now: number): Promise<number> {
  const created = sql`select created from account_sessions where uid_hash = ${secretHash(uid)}`;
  return ((await getValue<number>(db, created)) ?? now) + MAX_SESSION_MS;
}

/** What is known of a session besides its sign-in. */
export interface SessionFacts {
  /** When it began by a mailed link; null if it did not. */
  mailed: number | null;
  /** When the person last proved in it to own the account, as changes of its factors need; null before the first time. */
  proved: number | null;
}

export async function sessionFacts(db: Queryable, uidHash: string): Promise<SessionFacts> {
  const row = await db.get<SessionFacts>(sql`
    select mailed, proved from account_sessions where uid_hash = ${uidHash}`);
  return row ?? { mailed: null, proved: null };
}

/** Notes that a session began by a mailed link. */
export async function markMailed(db: Queryable, uidHash: string, now: number): Promise<void> {
  await db.run(sql`update account_sessions set mailed = ${now} where uid_hash = ${uidHash}`);
}

/**
 * Notes that the person has proved in a session to own the account.
 * @param by when the factor was added that proved it
 */
export async function markProved(
  db: Queryable,
  accountId: string,
  uidHash: string,
  now: number,
  by: number,
): Promise<void> {
  await db.run(sql`
    update account_sessions set proved = ${now}, proved_by = ${by} where uid_hash = ${uidHash} and account_id = ${accountId}`);
}

/** Forgets what persons have proved in the sessions of an account. */
export async function endProofs(tx: Queryable, accountId: string): Promise<void> {
  await tx.run(sql`update account_sessions set proved = null where account_id = ${accountId}`);
}

/** The statement that records the use of a session. One that has ended stays so. */
export function touchSession(uid: string, accountId: string, now: number, { address, agent }: ClientInfo): Sql {
  return sql`
    update account_sessions set seen = ${now}, address = ${address}, agent = ${agent.slice(0, 256)}
    where uid_hash = ${secretHash(uid)} and account_id = ${accountId}`;
}

/** The statement that records a sign-in, which may be a further one in the same session. */
export function beginSession(uid: string, accountId: string, now: number, { address, agent }: ClientInfo): Sql {
  return sql`
    insert into account_sessions (uid_hash, account_id, created, seen, address, agent)
    select ${secretHash(uid)}, id, ${now}, ${now}, ${address}, ${agent.slice(0, 256)} from accounts where id = ${accountId}
    on conflict (uid_hash) do update set
      mailed = case when account_sessions.account_id = excluded.account_id then account_sessions.mailed end,
      proved = case when account_sessions.account_id = excluded.account_id then account_sessions.proved end,
      account_id = excluded.account_id, seen = excluded.seen, address = excluded.address, agent = excluded.agent`;
}

/**
 * Locks an account until the transaction ends, before a step of a sign-in is stored.
 * @param account as read before the person authenticated
 * @returns false if all sign-ins have been ended since, as by another password or a first factor: then this one has ended too
 */
export const lockSignIns = async (tx: Queryable, account: Pick<Account, 'id' | 'sign_ins_ended'>): Promise<boolean> =>
  (await tx.run(sql`
    update accounts set created = created
    where id = ${account.id} and sign_ins_ended = ${account.sign_ins_ended}`)) > 0;

/** Whether a session continues, maybe with another id. */
export const hasSession = async (db: Queryable, uid: string, accountId: string): Promise<boolean> =>
  (await db.get(sql`
    select 1 as found from tokens
    where uid_hash = ${secretHash(uid)} and kind = 'Session' and account_id = ${accountId}`)) !== undefined;

/**
 * Ends one session, all but one, or all. With more than one, the sign-ins under way end too. The account's console sessions always end too, because they do not record which
 * session they came from; a person who is still signed in gets a new one without a prompt.
 * @param which `uid_hash` of the session to end, or of the session to keep
 */
export async function endSessions(
  tx: Queryable,
  accountId: string,
  which: { only?: string; except?: string } = {},
): Promise<void> {
  const { only = '', except = '' } = which;
  // First, so that a sign-in that is being stored is either deleted below or refused.
  if (only === '') await tx.run(sql`update accounts set sign_ins_ended = sign_ins_ended + 1 where id = ${accountId}`);
  await tx.run(sql`delete from console_sessions where account_id = ${accountId}`);
  for (const table of [sql`tokens`, sql`account_sessions`]) {
    const sessions = table.strings[0] === 'tokens' ? sql`kind = 'Session' and` : sql``;
    await tx.run(sql`
      delete from ${table} where ${sessions} account_id = ${accountId}
        and (${only} = '' or uid_hash = ${only}) and uid_hash <> ${except}`);
  }
}

/**
 * Revokes the tokens and the consent of one application for an account, with effect from the next request; without one,
 * those of all applications and the console's sessions.
 */
export async function endApplications(tx: Queryable, accountId: string, clientId = ''): Promise<void> {
  await tx.run(sql`
    delete from tokens where account_id = ${accountId} and kind = 'Grant'
      and (${clientId} = '' or client_id = ${clientId})`);
  await tx.run(sql`
    delete from tokens where account_id = ${accountId} and kind in ('AccessToken', 'RefreshToken', 'AuthorizationCode')
      and (${clientId} = '' or client_id = ${clientId})`);
  if (clientId === '') await tx.run(sql`delete from console_sessions where account_id = ${accountId}`);
  await tx.run(sql`
    delete from consents where account_id = ${accountId} and (${clientId} = '' or client_id = ${clientId})`);
}
