import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { Context, Taken } from './batch.ts';
import type { DataOf } from './events.ts';

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

/**
 * Takes a report: its counters are added, its power and faction hold while no later report is known. What the game
 * itself has counted stays in the ledger and counts nowhere.
 */
export function applyStatistics(context: Context, data: DataOf<'player.statistics'>): Taken {
  const { batch, key, time } = context;
  const player = batch.players.see(data.player, time, () => batch.keys.following());
  if (data.gamemode === 'vanilla') return undefined;
  batch.stats.add(player.key, 'factions', { kill: data.kill_count, death: data.death_count, time: data.time_played });
  batch.rows.push(sql`
    insert into faction_reports (player_key, time, ledger_key, power, faction)
    values (${player.key}, ${time}, ${key}, ${data.power}, ${data.faction})`);
  return undefined;
}
