import { nameKey } from '#platform/text/text.ts';
import type { Queryable } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import { isFindable, type Player } from './players.ts';

export interface FoundPlayer extends Player {
  /** The former name that matched; undefined if the present name matched. */
  formerly: string | undefined;
}

export interface FoundMap {
  key: number;
  name: string;
  gamemodes: string[];
}

/**
 * Players with a present or former name that begins with the text, in any case, ordered by name. Former names of hidden
 * players find nothing.
 */
export async function searchPlayers(db: Queryable, text: string, limit: number): Promise<FoundPlayer[]> {
  const rows = await db.all<FoundPlayer & { found: string; found_key: string }>(sql`
    select p.key, p.uuid, p.name, p.last_login, p.last_login_server, p.last_logout, n.name as found,
      n.name_key as found_key
    from player_names n join players p on p.key = n.player_key
    where ${startsWith(sql`n.name_key`, text)} and ${isFindable('shown')} order by n.name_key, n.player_key limit ${limit}`);
  const players = new Map<number, FoundPlayer>();
  for (const { found, found_key, ...player } of rows) {
    const isPresent = nameKey(player.name) === found_key;
    if (isPresent || !players.has(player.key)) {
      players.set(player.key, { ...player, formerly: isPresent ? undefined : found });
    }
  }
  return [...players.values()];
}

/** Maps with a name that begins with the text, in any case, ordered by name. */
export async function searchMaps(db: Queryable, text: string, limit: number): Promise<FoundMap[]> {
  const rows = await db.all<Omit<FoundMap, 'gamemodes'> & { gamemodes: string }>(sql`
    select m.key, m.name, m.gamemodes from maps m
    where ${startsWith(sql`m.name_key`, text)} order by m.name_key, m.key limit ${limit}`);
  return rows.map((row) => ({ ...row, gamemodes: JSON.parse(row.gamemodes) as string[] }));
}

/** A prefix as a range of an index that is ordered by code points, of which U+10FFFF is the last. */
export function startsWith(column: Sql, text: string): Sql {
  const prefix = nameKey(text);
  return sql`${column} >= ${prefix} and ${column} < ${`${prefix}\u{10ffff}`}`;
}
