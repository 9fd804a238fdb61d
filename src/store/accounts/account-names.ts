import { nameKey } from '#platform/text.ts';
import type { Queryable } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';

/** What people may choose as long as no game account gives them a name: the shape of a game account's name. */
const SHAPE = /^[A-Za-z0-9_]{3,16}$/;

/**
 * What keeps a name from being chosen. A name that a player of the network bears is `taken` like an account's: it comes
 * by linking that game account, and with no other answer nobody learns which of the two it is.
 */
export async function nameProblem(db: Queryable, name: string): Promise<'shape' | 'taken' | undefined> {
  if (!SHAPE.test(name)) return 'shape';
  const key = nameKey(name);
  const accepted = await db.get(sql`
    select 1 as taken from accounts where name_key = ${key}
    union all select 1 from players where name_key = ${key} limit 1`);
  return accepted === undefined ? undefined : 'taken';
}

/**
 * The statements by which a player's new name becomes that of the linked account, where there is one. Whoever held the
 * name keeps it with the account's id behind, which no game account's name can be.
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
