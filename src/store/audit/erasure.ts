import { idOf } from '#platform/ids.ts';
import type { Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { nameOfDeleted } from './audit.ts';

/**
 * What the audit log keeps of an account that is deleted: that there were such acts, under the account's id, which
 * nothing else tells any more. Name, addresses and details go. What somebody did as an operator keeps its name: an
 * operator answers for it as long as the row is kept.
 */
export async function eraseFromAudit(tx: Queryable, { id }: Pick<Account, 'id'>): Promise<void> {
  const name = nameOfDeleted(id);
  await tx.runAll([
    sql`
      update audit set actor = ${name}, actor_key = ${name}, address = '' where actor_id = ${id} and as_operator = 0`,
    sql`
      update audit set label = ${name}, detail = '{}'
      where subject = ${id} and (action like 'account.%' or action like 'session.%')`,
  ]);
}

const BATCH_SIZE = 500;

/** As `eraseFromAudit`, for what operators did about the game account: merges and pardons. */
export async function erasePlayerFromAudit(
  tx: Queryable,
  playerKey: number,
  was: { uuid: string; name: string },
  is: { uuid: string; name: string },
): Promise<void> {
  await tx.run(sql`
    update audit set subject = replace(subject, ${was.uuid}, ${is.uuid}),
      label = case when detail like ${`%"into":"${was.uuid}"%`} then ${is.name} else label end,
      detail = replace(detail, ${was.uuid}, ${is.uuid})
    where action = 'player.merge' and (subject = ${was.uuid} or detail like ${`%${was.uuid}%`})`);
  const punishments = await tx.tuples(sql`select key from punishments where punished_key = ${playerKey}`);
  const ids = punishments.map(([key]) => idOf(key as number));
  for (let start = 0; start < ids.length; start += BATCH_SIZE) {
    await tx.run(sql`
      update audit set label = ${is.name}, detail = replace(detail, ${was.name}, ${is.name})
      where subject in (${list(ids.slice(start, start + BATCH_SIZE))}) and action = 'punishment.revoke'`);
  }
}
