import { changesRow, type Db, type Queryable, type Transactional, unlessTaken } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { endApplications, endSessions } from './account-sessions.ts';
import { type Account, accountById, emailKey } from './accounts.ts';
import { forgetDevices } from './known-devices.ts';
import {
  consumeMailToken,
  endMailTokens,
  endMailTokensElsewhere,
  endUndos,
  firstFactorSince,
  type FoundToken,
  insertUndo,
  issueMailToken,
  type MailToken,
  peekMailToken,
  UNDO_MS,
} from './mail-tokens.ts';
import { stopReset } from './factor-resets.ts';
import { delayFirstFactor, hasFactor, removeCodesSince, removeFactorsSince } from './factors.ts';

const HOUR_MS = 3_600_000;

interface Confirmed {
  token: MailToken;
  /** As before the change. */
  account: Account;
  email: string;
  /** The secret of the link that undoes the change, for the previous address. */
  undo: string | undefined;
}

/**
 * Confirms an address by the secret of a mailed link: the present one (`verify`) or the new one of a change (`email`).
 * @returns why it did not, or what has changed
 */
export async function confirmEmail(
  db: Transactional,
  now: number,
  secret: string,
): Promise<'expired' | 'taken' | Confirmed> {
  const result = await unlessTaken(db, async (tx): Promise<'expired' | Confirmed> => {
    const token = await lockedToken(tx, now, secret, ['verify', 'email']);
    const account = token && (await accountById(tx, token.account_id!));
    if (token === undefined || account === undefined) return 'expired';
    const email = token.data['email']!;
    if (token.kind === 'verify' && email !== account.email) return 'expired';
    await consumeMailToken(tx, now, secret);
    await storeEmail(tx, account.id, email);
    await endMailTokensElsewhere(tx, account.id, email);
    const undo = token.kind === 'email' ? await issueUndo(tx, now, account, token) : undefined;
    return { token, account, email, undo };
  });
  return result ?? 'taken';
}

/**
 * Issues the secret that restores the present address after a change. Several changes within the time each have one, and
 * each of them ends only the later ones, so the earliest wins: that of the person to whom the account belonged before a
 * thief changed the address twice. No secret for the address that is left
 * - if the change returns to an address that an earlier change has left, or
 * - if an operator made the change, because a thief may be the holder of the address that is left.
 */
async function issueUndo(
  tx: Queryable,
  now: number,
  { id, email }: Account,
  { data }: MailToken,
): Promise<string | undefined> {
  if (data['by'] === 'operator') {
    await endUndos(tx, id, 0);
    await delayFirstFactor(tx, now, id);
    return undefined;
  }
  const returned = await tx.get<{ expires: number }>(sql`
    select min(expires) as expires from mail_tokens
    where account_id = ${id} and kind = 'undo-email' and email_key = ${emailKey(data['email']!)} and expires > ${now}
    having count(*) > 0`);
  if (returned !== undefined) {
    await endUndos(tx, id, returned.expires);
    return undefined;
  }
  const first = await firstFactorSince(tx, id, now + 1);
  const undone: MailToken['data'] = { email };
  if (first !== undefined) undone['since'] = `${first}`;
  else if (await hasFactor(tx, id)) undone['protected'] = 'yes';
  return await insertUndo(tx, now, id, emailKey(email), undone);
}

/** What a secret undoes. */
export interface Undone {
  account: Account;
  /** The address that it restores. */
  email: string;
  isFactor: boolean;
}

export async function undoneChange(db: Queryable, now: number, secret: string): Promise<Undone | undefined> {
  const token = await peekMailToken(db, now, secret);
  if (token?.kind !== 'undo-email') return undefined;
  const account = await accountById(db, token.account_id!);
  return account && { account, ...undoneBy(token) };
}

const undoneBy = ({ data }: MailToken) => ({ email: data['email']!, isFactor: data['factor'] !== undefined });

/**
 * Undoes a change of the address, or a first factor: restores the address of that time, signs everybody out, ends the access of
 * all applications, and removes the password, which a thief may know, and what was added since (`removeAddedSince`).
 * @returns why it did not; or the account as before, and the secret of a link to choose a new password
 */
export async function undoEmailChange(
  db: Transactional,
  now: number,
  secret: string,
): Promise<'expired' | 'taken' | (Undone & { reset: string })> {
  const result = await unlessTaken(db, async (tx): Promise<'expired' | (Undone & { reset: string })> => {
    const token = await lockedToken(tx, now, secret, ['undo-email']);
    const account = token && (await accountById(tx, token.account_id!));
    if (token === undefined || account === undefined) return 'expired';
    const { id } = account;
    const { email, isFactor } = undoneBy(token);
    await removeAddedSince(tx, account, token);
    await endUndos(tx, id, token.expires);
    await storeEmail(tx, id, email);
    await tx.run(sql`update accounts set password = null where id = ${id}`);
    // The thief may have asked for it, and the address of the thief got the link that stops it.
    await stopReset(tx, id);
    // With a factor a browser is known only after it.
    if (!(await hasFactor(tx, id))) await forgetDevices(tx, id);
    await endSessions(tx, id);
    await endApplications(tx, id);
    await endMailTokens(tx, id);
    await endMailTokensElsewhere(tx, id, email);
    const reset = await issueMailToken(tx, now + HOUR_MS, { kind: 'reset', account_id: id, data: {} }, email);
    return { account, email, isFactor, reset };
  });
  return result ?? 'taken';
}

/**
 * Removes what a thief may have added: all factors if the account got its first one since the undone change or at most
 * `UNDO_DAYS` before, else the recovery codes made since. An account that had a factor before needed one for each change of
 * factors, and staff a code of a command for the first: those stay, because the previous mailbox may be the stolen one.
 */
async function removeAddedSince(tx: Queryable, { id, role }: Account, { data, expires }: FoundToken): Promise<void> {
  const changed = expires - UNDO_MS;
  const had = data['protected'] === undefined ? Number(data['since'] ?? changed) : undefined;
  if (had !== undefined && role !== 'user') return;
  await removeCodesSince(tx, id, changed);
  const since = had ?? (await firstFactorSince(tx, id, expires));
  if (since !== undefined && role === 'user') await removeFactorsSince(tx, id, since);
}

/**
 * Issues the secret that confirms the new address of a change that a signed-in person has requested.
 * @returns undefined if the account has no password any more: a change has been undone since the person gave it
 */
export async function issueEmailChange(
  db: Db,
  expires: number,
  accountId: string,
  email: string,
): Promise<string | undefined> {
  return await db.transaction(async (tx) => {
    if (!(await lockWithPassword(tx, accountId))) return undefined;
    return await issueMailToken(tx, expires, { kind: 'email', account_id: accountId, data: { email } }, email);
  });
}

/** Locks an account until the transaction ends. @returns false if it has no password */
export const lockWithPassword = (tx: Queryable, accountId: string): Promise<boolean> =>
  changesRow(tx, sql`update accounts set created = created where id = ${accountId} and password is not null`);

/** A valid token of one of these kinds, after its account has been locked: confirming and undoing take turns. */
async function lockedToken(tx: Queryable, now: number, secret: string, kinds: readonly MailToken['kind'][]) {
  const found = await peekMailToken(tx, now, secret);
  if (found === undefined || !kinds.includes(found.kind)) return undefined;
  await tx.run(sql`update accounts set created = created where id = ${found.account_id}`);
  return await peekMailToken(tx, now, secret);
}

async function storeEmail(tx: Queryable, id: string, email: string): Promise<void> {
  await tx.run(sql`
    update accounts set email = ${email}, email_key = ${emailKey(email)}, email_verified = 1 where id = ${id}`);
}
