import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { newTypedCode, plainCode } from './link-codes.ts';

/** For this long the code of a mail confirms the first factor of an account. */
export const FACTOR_MAIL_CODE_MS = 10 * 60_000;

/** Creates the code that the owner copies from a mail into the session that asks for it. It replaces an older one. One for a deleted account counts nowhere. */
export async function newFactorMailCode(
  db: Queryable,
  now: number,
  accountId: string,
  sessionHash: string,
): Promise<string> {
  const { shown, plain } = newTypedCode();
  await db.run(sql`
    insert into factor_mail_codes (session_hash, account_id, code_hash, expires)
    select ${sessionHash}, id, ${db.keyedHash(plain)}, ${now + FACTOR_MAIL_CODE_MS} from accounts where id = ${accountId}
    on conflict (session_hash) do update set
      account_id = excluded.account_id, code_hash = excluded.code_hash, expires = excluded.expires`);
  return shown;
}

/** Uses a code: of concurrent requests, in any number of processes, one succeeds. */
export async function useFactorMailCode(
  db: Queryable,
  now: number,
  accountId: string,
  sessionHash: string,
  code: string,
): Promise<boolean> {
  const used = await db.run(sql`
    delete from factor_mail_codes where session_hash = ${sessionHash} and account_id = ${accountId}
      and code_hash = ${db.keyedHash(plainCode(code))} and expires > ${now}`);
  return used === 1;
}
