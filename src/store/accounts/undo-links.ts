import { newSecret, secretHash } from '#platform/crypto/secrets.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type Account, accountById } from './accounts.ts';
import { type MailToken, UNDO_MS } from './mail-tokens.ts';

/**
 * Issues the secret that undoes a first factor, for the address of the account. None for staff, whose first factor needs a code
 * of a command: a thief of the mailbox must not remove it.
 */
export async function issueFactorUndo(tx: Queryable, now: number, accountId: string): Promise<string | undefined> {
  const account = await accountById(tx, accountId);
  if (account === undefined || account.role !== 'user') return undefined;
  return await insertUndo(tx, now, accountId, '', { email: account.email, factor: 'yes' });
}

/** @param key of the address that is left, or '' for a first factor */
export async function insertUndo(
  tx: Queryable,
  now: number,
  id: string,
  key: string,
  data: MailToken['data'],
): Promise<string> {
  const secret = newSecret();
  await tx.run(sql`
    insert into mail_tokens (hash, kind, account_id, email_key, data, expires)
    values (${secretHash(secret)}, 'undo-email', ${id}, ${key}, ${JSON.stringify(data)}, ${now + UNDO_MS})`);
  return secret;
}

/** When the account got its first factor, of those whose undo link expires at `expires` or later; undefined if there is none. */
export async function firstFactorSince(tx: Queryable, accountId: string, expires: number): Promise<number | undefined> {
  const row = await tx.get<{ first: number }>(sql`
    select min(expires) as first from mail_tokens
    where account_id = ${accountId} and kind = 'undo-email' and email_key = '' and expires >= ${expires} having count(*) > 0`);
  return row && row.first - UNDO_MS;
}

/** Voids the links that undo a first factor, when the account becomes one of staff. */
export async function endFactorUndos(tx: Queryable, accountId: string): Promise<void> {
  await tx.run(sql`
    delete from mail_tokens where account_id = ${accountId} and kind = 'undo-email' and email_key = ''`);
}

/**
 * The address that an account had before its changes of the last days, to which a thief may have changed it: those that the
 * owner can still undo.
 */
export async function establishedEmail(db: Queryable, now: number, { id, email }: Account): Promise<string> {
  const row = await db.get<{ data: string }>(sql`
    select data from mail_tokens where account_id = ${id} and kind = 'undo-email' and expires > ${now}
    order by expires limit 1`);
  return row === undefined ? email : (JSON.parse(row.data) as { email: string }).email;
}

/** Deletes the secrets that undo the changes since one of them, which are those that expire with it or later. */
export async function endUndos(tx: Queryable, accountId: string, expires: number): Promise<void> {
  await tx.run(sql`
    delete from mail_tokens where account_id = ${accountId} and kind = 'undo-email' and expires >= ${expires}`);
}
