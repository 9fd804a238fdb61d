import type { Queryable } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';

/** An event that a player took part in. */
export interface PlayerEvent {
  key: number;
  type: string;
  /** The times at which it happened and was received, epoch milliseconds. */
  time: number;
  received: number;
  /** The name of the server that it belongs to; null for events of the network. */
  server: string | null;
}

/**
 * Events of a player with keys below `before`, newest first, without withdrawn ones.
 * @param options.matches whether the player's matches are among them
 */
export async function eventsOfPlayer(
  db: Queryable,
  player: number,
  before: number,
  limit: number,
  { matches = true }: { matches?: boolean } = {},
): Promise<PlayerEvent[]> {
  // One page of each index; `in` with the value twice for the same reason as in `keysetPage`. After a merge an event may have
  // several rows in name_observations, hence `group by`.
  const page = (key: Sql, table: Sql): Sql => sql`
    select * from (
      select ${key} as key from ${table} where player_key in (${player}, ${player}) and ${key} < ${before}
      group by player_key, ${key} order by player_key desc, ${key} desc limit ${limit}) page`;
  return await db.all<PlayerEvent>(sql`
    select l.key, l.type, l.time, l.received, s.name as server
    from (${page(sql`ledger_key`, sql`player_sessions`)}
      union ${page(sql`ledger_key`, sql`name_observations`)}
      ${matches ? sql`union ${page(sql`match_key`, sql`player_matches`)}` : sql``}) e
      join ledger l on l.key = e.key left join servers s on s.key = l.scope_key
    order by l.key desc limit ${limit}`);
}
