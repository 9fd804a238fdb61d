import type { Queryable, Transactional } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { endSessions } from './account-sessions.ts';
import { removeFactors } from './factor-resets.ts';
import { lockFactors } from './factors.ts';
import { codeHash, randomCode, shownCode } from './recovery-codes.ts';
import { newTypedCode, plainCode } from './link-codes.ts';

/** A member of staff has this long to sign in and add a second factor. */
export const FACTOR_CODE_MS = 3_600_000;

/**
 * Makes the code with which a member of staff adds the first second factor. It replaces an earlier code. Factors that the
 * account has are removed, because only their owner can use them: then all sessions end.
 * @returns the code like `ABCD-EFGH-IJKL-MNOP`; undefined if the account has no role any more, or is disabled
 */
export async function newFactorCode(db: Transactional, now: number, accountId: string): Promise<string | undefined> {
  const plain = randomCode();
  return await db.transaction(async (tx) => {
    if (!(await lockFactors(tx, accountId))) return undefined;
    const staff = await tx.get(sql`
      select 1 as found from accounts where id = ${accountId} and role <> 'user' and disabled is null`);
    if (staff === undefined) return undefined;
    if (await removeFactors(tx, accountId)) await endSessions(tx, accountId);
    await endFactorCode(tx, accountId);
    await tx.run(sql`
      insert into factor_codes (account_id, hash, expires)
      values (${accountId}, ${codeHash(accountId, plain)}, ${now + FACTOR_CODE_MS})`);
    return shownCode(plain);
  });
}

/** Uses a code: of concurrent requests, in any number of processes, one succeeds. */
export const useFactorCode = async (db: Queryable, now: number, accountId: string, code: string): Promise<boolean> =>
  (await db.run(sql`
    delete from factor_codes where account_id = ${accountId} and hash = ${codeHash(accountId, plainCode(code))}
      and expires > ${now}`)) > 0;

export async function endFactorCode(tx: Queryable, accountId: string): Promise<void> {
  await tx.run(sql`delete from factor_codes where account_id = ${accountId}`);
}

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
export const useFactorMailCode = async (
  db: Queryable,
  now: number,
  accountId: string,
  sessionHash: string,
  code: string,
): Promise<boolean> =>
  (await db.run(sql`
    delete from factor_mail_codes where session_hash = ${sessionHash} and account_id = ${accountId}
      and code_hash = ${db.keyedHash(plainCode(code))} and expires > ${now}`)) > 0;
