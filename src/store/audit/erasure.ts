import { idOf } from '#platform/ids.ts';
import type { Queryable } from '#db/db.ts';
import { lists, sql } from '#db/sql.ts';
import { withoutNames } from '#store/game/renamed-json.ts';
import { nameOfDeleted } from './audit.ts';

/**
 * Removes a deleted account's personal data from the audit log: name, addresses and details. The entries keep the
 * account's id, which nothing else links to the person. Entries of acts as an operator keep the name, because operators
 * are accountable for them.
 */
export async function eraseFromAudit(tx: Queryable, accountId: string): Promise<void> {
  const name = nameOfDeleted(accountId);
  await tx.runAll([
    sql`
      update audit set actor = ${name}, actor_key = ${name}, address = '' where actor_id = ${accountId} and as_operator = 0`,
    sql`
      update audit set label = ${name}, detail = '{}'
      where subject = ${accountId} and (action like 'account.%' or action like 'session.%')`,
  ]);
}

/** Like `eraseFromAudit`, for the entries of operators about the game account: merges and acts on punishments. */
export async function erasePlayerFromAudit(
  tx: Queryable,
  playerKey: number,
  before: { uuid: string; names: readonly string[] },
  after: { uuid: string; name: string },
): Promise<void> {
  await tx.run(sql`
    update audit set subject = replace(subject, ${before.uuid}, ${after.uuid}),
      label = case when detail like ${`%"into":"${before.uuid}"%`} then ${after.name} else label end,
      detail = replace(detail, ${before.uuid}, ${after.uuid})
    where action = 'player.merge' and (subject = ${before.uuid} or detail like ${`%${before.uuid}%`})`);
  const punishments = await tx.tuples(sql`select key from punishments where punished_key = ${playerKey}`);
  const ids = punishments.map(([key]) => idOf(key as number));
  for (const some of lists(ids)) {
    const rows = await tx.tuples(sql`
      select id, detail from audit where subject in (${some}) and action like 'punishment.%'`);
    const unnamed = (_: string, value: unknown): unknown => {
      if (typeof value !== 'string') return value;
      return before.names.includes(value) ? after.name : withoutNames(value, before.names, after.name);
    };
    await tx.runAll(
      (rows as [string, string][]).map(([id, json]) => {
        const detail = JSON.stringify(JSON.parse(json), unnamed);
        return sql`update audit set label = ${after.name}, detail = ${detail} where id = ${id}`;
      }),
    );
  }
}
