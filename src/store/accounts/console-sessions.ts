import { newSecret, secretHash } from '#platform/crypto/secrets.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type Account, accountById } from './accounts.ts';

/** A session of the console in one browser. */
export interface ConsoleSession {
  hash: string;
  account: Account;
  /** When the person last entered the password, in epoch milliseconds. */
  authenticated: number;
}

/** @returns the secret for the session cookie */
export async function startConsoleSession(
  db: Queryable,
  now: number,
  {
    account_id,
    client_id,
    lifetimeMs,
    authenticated,
  }: { account_id: string; client_id: string; lifetimeMs: number; authenticated: number },
): Promise<string> {
  const secret = newSecret();
  await db.run(sql`
    insert into console_sessions (hash, account_id, client_id, created, expires, authenticated)
    values (${secretHash(secret)}, ${account_id}, ${client_id}, ${now}, ${now + lifetimeMs}, ${authenticated})`);
  return secret;
}

/** Finds the session of a cookie; undefined if it has expired or the account is disabled. */
export async function findConsoleSession(
  db: Queryable,
  now: number,
  secret: string,
): Promise<ConsoleSession | undefined> {
  const hash = secretHash(secret);
  const row = await db.get<{ account_id: string; authenticated: number }>(
    sql`select account_id, authenticated from console_sessions where hash = ${hash} and expires > ${now}`,
  );
  const account = row && (await accountById(db, row.account_id));
  if (account === undefined || account.disabled !== null) return undefined;
  return { hash, account, authenticated: row!.authenticated };
}

export async function endConsoleSession(db: Queryable, hash: string): Promise<void> {
  await db.run(sql`delete from console_sessions where hash = ${hash}`);
}
