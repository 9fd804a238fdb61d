import { newSecret, secretHash } from '#platform/crypto/secrets.ts';
import { flag, type Queryable, rowReader } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** The time for the second factor after the password. */
export const PENDING_MS = 10 * 60_000;

/** A sign-in after the password or a mailed link, before the second factor. */
export interface PendingSignIn {
  account_id: string;
  /** Whether it began by a mailed link, else by the password. */
  by_mail: boolean;
  /** The id of the sign-in page of an application that a mailed link leads back to, else ''. */
  flow: string;
  /** That of the account when the sign-in began; see `lockSignIns`. */
  sign_ins_ended: number;
}

const toPending = rowReader<PendingSignIn>({ by_mail: flag });

/**
 * @param interaction the id of the interaction that the sign-in belongs to, else ''
 * @returns its secret, for a cookie; undefined if the account has been deleted
 */
export async function startPendingSignIn(
  db: Queryable,
  now: number,
  interaction: string,
  { account_id, by_mail, flow, sign_ins_ended }: PendingSignIn,
): Promise<string | undefined> {
  const secret = newSecret();
  const started = await db.run(sql`
    insert into pending_sign_ins (hash, account_id, interaction_hash, by_mail, flow, sign_ins_ended, expires)
    select ${secretHash(secret)}, id, ${secretHash(interaction)}, ${by_mail ? 1 : 0}, ${flow}, ${sign_ins_ended}, ${now + PENDING_MS}
    from accounts where id = ${account_id}`);
  return started === 1 ? secret : undefined;
}

export async function peekPendingSignIn(
  db: Queryable,
  now: number,
  interaction: string,
  secret: string,
): Promise<PendingSignIn | undefined> {
  const row = await db.get(sql`
    select account_id, by_mail, flow, sign_ins_ended from pending_sign_ins
    where hash = ${secretHash(secret)} and interaction_hash = ${secretHash(interaction)} and expires > ${now}`);
  return row && toPending(row);
}

/** Ends a pending sign-in that has succeeded. @returns true for one of concurrent requests, in any number of processes */
export const finishPendingSignIn = async (
  db: Queryable,
  now: number,
  interaction: string,
  secret: string,
): Promise<boolean> =>
  (await db.run(sql`
    delete from pending_sign_ins
    where hash = ${secretHash(secret)} and interaction_hash = ${secretHash(interaction)} and expires > ${now}`)) > 0;
