import type { Db, Queryable } from '#db/db.ts';
import { insertAll, type Sql, sql } from '#db/sql.ts';

/** The mails to punished players, one a punishment. The rows are in the database: they survive a crash and are shared by all processes. */

/** Older punishments give no mail: a sender delivers its old events after an outage. */
const MAX_AGE_MS = 24 * 3_600_000;
/** Mails whose process died, or that the mail server did not take, are sent by any process after this time. */
const CLAIM_MS = 10 * 60_000;
/** Maximum mails of one claim. */
const BATCH_SIZE = 100;

export interface PunishmentNotice {
  reference_hash: string;
  punishment_key: number;
  /** Until when the process that claimed it sends it. */
  due: number;
}

/** A new punishment, with the key of its issuer (0 for the operator) and the issuer's reference. */
export interface Issued {
  key: number;
  scope: number;
  reference: string;
  /** The time of its event. */
  time: number;
}

/** The statements that note mails about new punishments, in their transaction. One that is issued again gives no second mail. */
export function noticesOf({ keyedHash }: Queryable, now: number, issued: readonly Issued[]): Sql[] {
  // The last one of each reference, because a statement must not write a row twice.
  const rows = new Map(
    issued.flatMap(({ key, scope, reference, time }) => {
      const hash = keyedHash(`punishment ${scope} ${reference}`);
      return time + MAX_AGE_MS <= now ? [] : [[hash, [hash, key, now, time + MAX_AGE_MS]] as const];
    }),
  );
  return insertAll(
    'insert into punishment_notices (reference_hash, punishment_key, due, expires) values',
    [...rows.values()],
    `on conflict (reference_hash) do update set punishment_key = excluded.punishment_key
      where punishment_notices.due is not null`,
  );
}

/** Claims mails that are due. Of several processes that call this at once, one gets each. */
export async function claimNotices(db: Db, now: number): Promise<PunishmentNotice[]> {
  const due = sql`due <= ${now} and expires > ${now}`;
  // Reads first, because writing takes the writer's lock.
  if ((await db.shortReads.tuple(sql`select 1 from punishment_notices where ${due} limit 1`)) === undefined) return [];
  return await db.all(sql`
    update punishment_notices set due = ${now + CLAIM_MS}
    where reference_hash in (select reference_hash from punishment_notices where ${due} order by due limit ${BATCH_SIZE})
      and ${due}
    returning reference_hash, punishment_key, due`);
}

/** Records that the mail server has taken a mail. */
export async function endNotice(db: Queryable, { reference_hash, due }: PunishmentNotice): Promise<void> {
  await db.run(sql`
    update punishment_notices set due = null where reference_hash = ${reference_hash} and due = ${due}`);
}

/** Deletes a mail that is not to be sent. */
export async function dropNotice(db: Queryable, { reference_hash, due }: PunishmentNotice): Promise<void> {
  await db.run(sql`delete from punishment_notices where reference_hash = ${reference_hash} and due = ${due}`);
}

/** Deletes the mails of a backup that were not sent before it: most of them were sent after it. */
export async function dropNotices(db: Queryable): Promise<void> {
  await db.run(sql`delete from punishment_notices where due is not null`);
}

/** Records again that a mail was sent, in a restored database. @returns whether it would have been sent again */
export async function endNoticeAgain(
  db: Queryable,
  [reference_hash, expires]: readonly [string, string],
): Promise<boolean> {
  const changed = await db.run(sql`
    insert into punishment_notices (reference_hash, punishment_key, due, expires)
    values (${reference_hash}, 0, null, ${Number(expires)})
    on conflict (reference_hash) do update set due = null where punishment_notices.due is not null`);
  return changed > 0;
}
