import { idOf } from '#platform/ids.ts';
import type { Queryable } from '#db/db.ts';
import { list, lists, sql } from '#db/sql.ts';
import { nameKey, uuidLabel } from '#text/text.ts';
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

/** Like `eraseFromAudit`, for the entries of operators about the game account: merges, removals of names and acts on punishments. */
export async function erasePlayerFromAudit(
  tx: Queryable,
  playerKey: number,
  before: { uuid: string; names: readonly string[] },
  after: { uuid: string; name: string },
): Promise<void> {
  await tx.run(sql`
    update audit set subject = replace(subject, ${before.uuid}, ${after.uuid}),
      label = case
        when action = 'player.name.remove' or detail like ${`%"into":"${before.uuid}"%`} then ${after.name} else label end,
      detail = replace(detail, ${before.uuid}, ${after.uuid})
    where action in ('player.merge', 'player.name.remove')
      and (subject = ${before.uuid} or detail like ${`%${before.uuid}%`})`);
  for (const some of lists(await punishmentIds(tx, playerKey))) {
    const rows = await tx.tuples(sql`
      select id, detail from audit where subject in (${some}) and action like 'punishment.%'`);
    await tx.runAll(
      (rows as [string, string][]).map(([id, json]) => {
        const detail = detailWithout(json, before.names, after.name);
        return sql`update audit set label = ${after.name}, detail = ${detail} where id = ${id}`;
      }),
    );
  }
}

async function punishmentIds(tx: Queryable, playerKey: number): Promise<string[]> {
  const punishments = await tx.tuples(sql`select key from punishments where punished_key = ${playerKey}`);
  return punishments.map(([key]) => idOf(key as number));
}

function detailWithout(json: string, names: readonly string[], replacement: string): string {
  const keys = new Set(names.map(nameKey));
  const unnamed = (_: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    return keys.has(nameKey(value)) ? replacement : withoutNames(value, names, replacement);
  };
  return JSON.stringify(JSON.parse(json), unnamed);
}

/**
 * Replaces a removed name in the entries about a player, its accounts and its punishments, and in those of the accounts' acts, by
 * the label of the UUID: readers show the present name.
 */
export async function removeNameFromAudit(
  tx: Queryable,
  { key, uuids }: { key: number; uuids: readonly string[] },
  removed: string,
): Promise<void> {
  const shown = uuidLabel(uuids[0]!);
  const accounts = (await tx.tuples(sql`select id from accounts where player_uuid in (${list([...uuids])})`)).flat();
  await tx.run(sql`
    update audit set actor = ${shown}, actor_key = ${shown}
    where actor_id in (${list(accounts)}) and actor_key = ${removed} and as_operator = 0`);
  for (const some of lists([...uuids, ...(accounts as string[]), ...(await punishmentIds(tx, key))])) {
    const rows = await tx.tuples(sql`select id, label, detail from audit where subject in (${some})`);
    for (const [id, before, json] of rows as [string, string, string][]) {
      const label = nameKey(before) === removed ? shown : before;
      const detail = detailWithout(json, [removed], shown);
      if (label !== before || detail !== JSON.stringify(JSON.parse(json)))
        await tx.run(sql`update audit set label = ${label}, detail = ${detail} where id = ${id}`);
    }
  }
}
