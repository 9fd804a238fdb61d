import { newSecret, secretHash } from '#platform/crypto/secrets.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { emailKey } from './accounts.ts';

/** What a link in a mail is for. */
export type MailTokenKind = 'register' | 'verify' | 'reset' | 'email';

export interface MailToken {
  kind: MailTokenKind;
  /** Null while somebody registers. */
  account_id: string | null;
  data: Record<string, string>;
}

/** Makes the secret of a link; an older link of the same kind to the same person no longer works. */
export async function issueMailToken(
  tx: Queryable,
  expires: number,
  { kind, account_id, data }: MailToken,
  email: string,
): Promise<string> {
  const secret = newSecret();
  await tx.run(sql`
    delete from mail_tokens where kind = ${kind} and (account_id = ${account_id ?? ''}
      or (account_id is null and email_key = ${emailKey(email)}))`);
  await tx.run(sql`
    insert into mail_tokens (hash, kind, account_id, email_key, data, expires)
    values (${secretHash(secret)}, ${kind}, ${account_id}, ${emailKey(email)}, ${JSON.stringify(data)}, ${expires})`);
  return secret;
}

interface Row {
  kind: MailTokenKind;
  account_id: string | null;
  data: string;
}

/** What a link stands for, without using it up. */
export async function peekMailToken(db: Queryable, now: number, secret: string): Promise<MailToken | undefined> {
  const row = await db.get<Row>(sql`
    select kind, account_id, data from mail_tokens where hash = ${secretHash(secret)} and expires > ${now}`);
  return row && tokenOf(row);
}

/** Uses a link up: of several who try at once one gets it. */
export async function consumeMailToken(tx: Queryable, now: number, secret: string): Promise<MailToken | undefined> {
  const row = await tx.get<Row>(sql`
    delete from mail_tokens where hash = ${secretHash(secret)} and expires > ${now} returning kind, account_id, data`);
  return row && tokenOf(row);
}

/** Ends the links that let whoever has them into an account, when it turns out that others may have them. */
export async function endMailTokens(tx: Queryable, accountId: string): Promise<void> {
  await tx.run(sql`delete from mail_tokens where account_id = ${accountId} and kind in ('reset', 'email')`);
}

/** Ends the links to an account that went to another address than the one it now has. */
export async function endMailTokensElsewhere(tx: Queryable, accountId: string, email: string): Promise<void> {
  await tx.run(sql`
    delete from mail_tokens
    where account_id = ${accountId} and kind in ('reset', 'verify') and email_key <> ${emailKey(email)}`);
}

function tokenOf(row: Row): MailToken {
  return { ...row, data: JSON.parse(row.data) as Record<string, string> };
}
