import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** A player's power and faction by the newest report; power 0 and no faction if there is none. */
export interface FactionStanding {
  power: number;
  faction: string;
}

export async function standingOf(db: Queryable, playerKey: number): Promise<FactionStanding> {
  const row = await db.get<FactionStanding>(sql`
    select power, faction from faction_reports where player_key = ${playerKey} order by time desc, ledger_key desc limit 1`);
  return row ?? { power: 0, faction: '' };
}
