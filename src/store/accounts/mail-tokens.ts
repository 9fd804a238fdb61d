import { newSecret, secretHash } from '#platform/crypto/secrets.ts';
import { json, type Queryable, rowReader } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type Account, accountById, emailKey } from './accounts.ts';

/**
 * The purpose of a link in a mail. `undo-email` undoes what happened since: a change of the address, which `email_key` has, or
 * a first factor, for which it is ''.
 */
export type MailTokenKind = 'register' | 'verify' | 'reset' | 'email' | 'sign-in' | 'undo-email';

/** The time for which a mailed link can undo a change of the address, or a first factor. */
export const UNDO_DAYS = 7;
export const UNDO_MS = UNDO_DAYS * 86_400_000;

export interface MailToken {
  kind: MailTokenKind;
  /** Null for `register`, when there is no account yet. */
  account_id: string | null;
  data: Record<string, string>;
}

/** A token with the end of its validity. */
export type FoundToken = MailToken & { expires: number };

/**
 * Issues the secret of a link. The new link replaces older links of the same kind to the same account or address. Newer
 * links do not replace those that give access (reset, sign-in), because anyone can request new links and must not
 * invalidate the owner's link. A link from an operator has the address '', and only another link from an operator
 * replaces it.
 */
export async function issueMailToken(
  tx: Queryable,
  expires: number,
  { kind, account_id, data }: MailToken,
  email: string,
): Promise<string> {
  const key = emailKey(email);
  if (email === '' || (kind !== 'reset' && kind !== 'sign-in'))
    await tx.run(sql`
      delete from mail_tokens where kind = ${kind} and (email_key = '') = (${key} = '')
        and (account_id = ${account_id ?? ''} or (account_id is null and email_key = ${key}))`);
  return await insertToken(tx, key, { kind, account_id, data, expires });
}

async function insertToken(
  tx: Queryable,
  key: string,
  { kind, account_id, data, expires }: FoundToken,
): Promise<string> {
  const secret = newSecret();
  await tx.run(sql`
    insert into mail_tokens (hash, kind, account_id, email_key, data, expires)
    values (${secretHash(secret)}, ${kind}, ${account_id}, ${key}, ${JSON.stringify(data)}, ${expires})`);
  return secret;
}

const toToken = rowReader<FoundToken>({ data: json });

/** Looks a token up without consuming it. */
export async function peekMailToken(db: Queryable, now: number, secret: string): Promise<FoundToken | undefined> {
  const row = await db.get(sql`
    select kind, account_id, data, expires from mail_tokens where hash = ${secretHash(secret)} and expires > ${now}`);
  return row && toToken(row);
}

/** Consumes a token: only one of several concurrent requests gets it. */
export async function consumeMailToken(tx: Queryable, now: number, secret: string): Promise<MailToken | undefined> {
  const row = await tx.get(sql`
    delete from mail_tokens where hash = ${secretHash(secret)} and expires > ${now} returning kind, account_id, data, expires`);
  return row && toToken(row);
}

/** Deletes the tokens that give access to an account, after others may have obtained them. */
export async function endMailTokens(tx: Queryable, accountId: string): Promise<void> {
  await tx.run(sql`delete from mail_tokens where account_id = ${accountId} and kind in ('reset', 'email', 'sign-in')`);
}

/** Deletes an account's tokens that were sent to an address other than `email`. */
export async function endMailTokensElsewhere(tx: Queryable, accountId: string, email: string): Promise<void> {
  await tx.run(sql`
    delete from mail_tokens
    where account_id = ${accountId} and kind in ('reset', 'verify', 'sign-in') and email_key <> ${emailKey(email)}`);
}

/** When the address of an account was last changed, as long as that can be undone; 0 if it cannot. Epoch milliseconds. */
export async function lastEmailChange(db: Queryable, accountId: string): Promise<number> {
  const row = await db.get<{ expires: number | null }>(sql`
    select max(expires) as expires from mail_tokens
    where account_id = ${accountId} and kind = 'undo-email' and email_key <> ''`);
  return row?.expires === null || row === undefined ? 0 : row.expires - UNDO_MS;
}

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
export const insertUndo = (
  tx: Queryable,
  now: number,
  id: string,
  key: string,
  data: MailToken['data'],
): Promise<string> => insertToken(tx, key, { kind: 'undo-email', account_id: id, data, expires: now + UNDO_MS });

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
