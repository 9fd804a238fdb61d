import type { Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';

/** The newest reports of a server about the present. */
export interface ServerReports {
  serverKey: number;
  /** When its newest heartbeat, and the newest report of its match, were received; null without one. */
  received: readonly (number | null)[];
  /** Differs if they tell something else, also if a player was hidden in them. */
  content: string;
}

/** The newest reports of all servers, without what they say about players. */
export async function serverReports(db: Queryable): Promise<ServerReports[]> {
  const rows = await db.tuples(sql`
    select s.key, p.received, l.received, p.event_id, l.event_id, p.playing, p.player_count, l.participants, l.observers,
      l.team_count, l.largest_team
    from servers s left join presence p on p.server_key = s.key left join live_matches l on l.server_key = s.key
    where s.removed is null`);
  return rows.map(([key, heartbeat, report, ...content]) => ({
    serverKey: key as number,
    received: [heartbeat as number | null, report as number | null],
    content: JSON.stringify(content),
  }));
}

/** The servers of matches. */
export async function serversOfMatches(db: Queryable, matches: readonly number[]): Promise<number[]> {
  if (matches.length === 0) return [];
  const rows = await db.tuples(sql`select distinct server_key from matches where key in (${list(matches)})`);
  return rows.map(([key]) => key as number);
}
