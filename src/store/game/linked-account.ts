import { nameKey } from '#text/text.ts';
import { type Sql, sql } from '#db/sql.ts';

/**
 * The statements that give a player's new name to the linked account, if there is one. Another account with that name gets
 * its own id appended (`name-id`), which no game account's name can contain. An account of staff keeps its name, because a game
 * server must not let a player bear it: then the linked account gets the suffix.
 */
export function syncAccountName(uuid: string, name: string): Sql[] {
  const key = nameKey(name);
  const suffix = sql`case when exists (
    select 1 from accounts holder where holder.name_key = ${key} and holder.id <> accounts.id) then '-' || id else '' end`;
  return [
    sql`
      update accounts set name = name || '-' || id, name_key = name_key || '-' || id
      where name_key = ${key} and coalesce(player_uuid, '') <> ${uuid} and role = 'user'
        and exists (select 1 from accounts linked where linked.player_uuid = ${uuid})`,
    sql`
      update accounts set name = ${name} || ${suffix}, name_key = ${key} || ${suffix} where player_uuid = ${uuid}`,
  ];
}
