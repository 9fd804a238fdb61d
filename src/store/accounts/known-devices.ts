import { codeHash } from './recovery-codes.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** A device without a sign-in for this long, the maximum lifetime of a cookie, is deleted. */
export const DEVICE_LIFETIME_MS = 400 * 86_400_000;
/** Bounds the guesses through stolen cookies, and the rows. */
const MAX_DEVICES = 20;

/** Whether the browser with this cookie has signed in to the account. */
export const isKnownDevice = async (db: Queryable, now: number, accountId: string, secret: string): Promise<boolean> =>
  (await db.get(sql`
    select 1 as found from known_devices
    where account_id = ${accountId} and hash = ${codeHash(accountId, secret)}
      and seen > ${now - DEVICE_LIFETIME_MS}`)) !== undefined;

/** Stores a browser after a sign-in, and deletes the account's least recently used ones. */
export async function rememberDevice(tx: Queryable, now: number, accountId: string, secret: string): Promise<void> {
  await tx.runAll([
    sql`
      insert into known_devices (account_id, hash, seen)
      select id, ${codeHash(accountId, secret)}, ${now} from accounts where id = ${accountId}
      on conflict (account_id, hash) do update set seen = excluded.seen`,
    sql`
      delete from known_devices where account_id = ${accountId} and hash in (
        select hash from known_devices where account_id = ${accountId} order by seen desc, hash limit 1000 offset ${MAX_DEVICES})`,
  ]);
}

/** Deletes the devices of an account that others may have signed in to. */
export async function forgetDevices(tx: Queryable, accountId: string): Promise<void> {
  await tx.run(sql`delete from known_devices where account_id = ${accountId}`);
}
