import { nameKey } from '#platform/text/text.ts';
import { type Sql, sql } from '#db/sql.ts';

/**
 * The statements that give a player's new name to the linked account, if there is one. Another account with that name gets
 * its own id appended (`name-id`), which no game account's name can contain.
 */
export function syncAccountName(uuid: string, name: string): Sql[] {
  const key = nameKey(name);
  return [
    sql`
      update accounts set name = name || '-' || id, name_key = name_key || '-' || id
      where name_key = ${key} and coalesce(player_uuid, '') <> ${uuid}
        and exists (select 1 from accounts linked where linked.player_uuid = ${uuid})`,
    sql`update accounts set name = ${name}, name_key = ${key} where player_uuid = ${uuid}`,
  ];
}
