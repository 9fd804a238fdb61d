import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** What holds of a player in factions by the newest report. */
export interface FactionStanding {
  power: number;
  faction: string;
}

export async function standingOf(db: Queryable, playerKey: number): Promise<FactionStanding> {
  const row = await db.get<FactionStanding>(sql`
    select power, faction from faction_reports where player_key = ${playerKey} order by time desc, ledger_key desc limit 1`);
  return row ?? { power: 0, faction: '' };
}
