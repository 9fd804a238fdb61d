import type { Queryable } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import { factsOf } from './matches.ts';
import type { MatchResult } from './player-matches.ts';

/** An event that a player took part in. */
export interface PlayerEvent {
  key: number;
  type: string;
  /** The times at which it happened and was received, epoch milliseconds. */
  time: number;
  received: number;
  /** The name of the server that it belongs to; null for events of the network. */
  server: string | null;
  /** The player's match; null for another event. */
  match: { map: string; result: MatchResult } | null;
}

/** Events of a player with keys below `before`, newest first, without withdrawn ones. */
export async function eventsOfPlayer(
  db: Queryable,
  player: number,
  before: number,
  limit: number,
): Promise<PlayerEvent[]> {
  // One page of each index; `in` with the value twice for the same reason as in `keysetPage`. After a merge an event may have
  // several rows in name_observations, hence `group by`.
  const page = (key: Sql, table: Sql): Sql => sql`
    select * from (
      select ${key} as key from ${table} where player_key in (${player}, ${player}) and ${key} < ${before}
      group by player_key, ${key} order by player_key desc, ${key} desc limit ${limit}) page`;
  const rows = await db.all<Omit<PlayerEvent, 'match'> & { head: string | null; result: MatchResult }>(sql`
    select l.key, l.type, l.time, l.received, s.name as server, m.head, p.result
    from (${page(sql`match_key`, sql`player_matches`)}
      union ${page(sql`ledger_key`, sql`player_sessions`)}
      union ${page(sql`ledger_key`, sql`name_observations`)}) e
      join ledger l on l.key = e.key left join servers s on s.key = l.scope_key
      left join player_matches p on p.match_key = l.key and p.player_key = ${player}
      left join matches m on m.key = p.match_key
    order by l.key desc limit ${limit}`);
  return rows.map(({ head, result, ...event }) => ({
    ...event,
    match: head === null ? null : { map: factsOf(head).map, result },
  }));
}
