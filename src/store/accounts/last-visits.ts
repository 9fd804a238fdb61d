import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** What a person's linked player had at the last visits of the site. */

/** Pages within this time are one visit, so that a person costs at most one write an hour. */
const VISIT_MS = 3_600_000;

/** Wins of all time, and the place by them. */
export interface Standing {
  wins: number;
  place: number;
}

interface Visits extends Standing {
  player_key: number;
  seen: number;
  former_seen: number | null;
  former_wins: number | null;
  former_place: number | null;
}

/** The row of an account; undefined before its first visit. */
export const visitsOf = (db: Queryable, accountId: string): Promise<Visits | undefined> =>
  db.get<Visits>(sql`
    select player_key, seen, wins, place, former_seen, former_wins, former_place from last_visits
    where account_id = ${accountId}`);

/**
 * Records a visit, unless the last one was within an hour.
 * @returns what the same player had at the visit before
 */
export async function recordVisit(
  db: Queryable,
  now: number,
  accountId: string,
  { player, wins, place }: Standing & { player: number },
): Promise<Standing | undefined> {
  const row = await visitsOf(db, accountId);
  const last = row?.player_key === player ? row : undefined;
  if (last !== undefined && now - last.seen < VISIT_MS)
    return last.former_wins === null ? undefined : { wins: last.former_wins, place: last.former_place! };
  const [seen, formerWins, formerPlace] = [last?.seen ?? null, last?.wins ?? null, last?.place ?? null];
  await db.run(sql`
    insert into last_visits (account_id, player_key, seen, wins, place, former_seen, former_wins, former_place)
    select id, cast(${player} as bigint), cast(${now} as bigint), cast(${wins} as bigint), cast(${place} as bigint),
      cast(${seen} as bigint), cast(${formerWins} as bigint), cast(${formerPlace} as bigint)
    from accounts where id = ${accountId}
    on conflict (account_id) do update set player_key = excluded.player_key, seen = excluded.seen, wins = excluded.wins,
      place = excluded.place, former_seen = excluded.former_seen, former_wins = excluded.former_wins,
      former_place = excluded.former_place
    where last_visits.player_key <> excluded.player_key or last_visits.seen <= ${now - VISIT_MS}`);
  return last && { wins: last.wins, place: last.place };
}
