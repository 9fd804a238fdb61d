import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** A player's power and faction by the newest report; power 0 and no faction if there is none. */
export interface FactionStanding {
  power: number;
  faction: string;
  faction_id: string;
  faction_role: string;
}

export async function readStanding(db: Queryable, playerKey: number): Promise<FactionStanding> {
  const row = await db.get<FactionStanding>(sql`
    select power, faction, faction_id, faction_role from faction_reports
    where player_key = ${playerKey} order by time desc, ledger_key desc limit 1`);
  return row ?? { power: 0, faction: '', faction_id: '', faction_role: '' };
}
