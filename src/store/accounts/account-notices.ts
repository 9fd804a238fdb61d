import type { Db, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type Account, accountById } from './accounts.ts';

/** What an account's owner is told by mail although no page of the sign-in was involved. */
export interface AccountNotice {
  account: Account;
  kind: 'linked' | 'factors_removed';
  /** The name of the linked game account, else ''. */
  label: string;
}

/** Notes what has happened, in its transaction. A job sends the mail. */
export async function noteForOwner(
  tx: Queryable,
  now: number,
  accountId: string,
  { kind, label }: Omit<AccountNotice, 'account'>,
): Promise<void> {
  await tx.run(sql`
    insert into account_notices (account_id, kind, label, created) values (${accountId}, ${kind}, ${label}, ${now})
    on conflict (account_id, kind, created) do nothing`);
}

/** Takes all notices: of several processes that call this at once, one gets each. */
export async function takeNotices(db: Db): Promise<AccountNotice[]> {
  const found = await db.shortReads.tuple(sql`select 1 from account_notices limit 1`);
  if (found === undefined) return [];
  const rows = await db.all<Omit<AccountNotice, 'account'> & { account_id: string }>(sql`
    delete from account_notices returning account_id, kind, label`);
  const notices = await Promise.all(
    rows.map(async ({ account_id, kind, label }) => ({ account: await accountById(db, account_id), kind, label })),
  );
  return notices.filter((notice): notice is AccountNotice => notice.account !== undefined);
}
