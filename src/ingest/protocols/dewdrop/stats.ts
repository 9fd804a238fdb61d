import type { Queryable } from '#db/db.ts';
import { listCounters } from '#store/game/counters/counters.ts';
import { valuesOfPlayers } from '#store/game/counters/player-counters.ts';
import { statsOf } from '#store/game/player-stats.ts';
import { playerByUuid } from '#store/game/players.ts';
import { COUNTERS } from './match-event.ts';

/** The totals of a player as Dewdrop's `/stats` reads them; zeros for a player who is not known. */
export async function profileStats(db: Queryable, uuid: string): Promise<Record<string, number>> {
  const player = await playerByUuid(db, uuid);
  const totals = player === undefined ? {} : await readTotals(db, player.key);
  const counters = player === undefined ? new Map<string, number>() : await readCounters(db, player.key);
  const { kill = 0, death = 0, shot = 0, hit = 0, play = 0, win = 0, lose = 0 } = totals;
  const named = Object.entries(COUNTERS).map(([key, name]) => [name, counters.get(key) ?? 0] as const);
  return {
    ...Object.fromEntries(named),
    ...{ kills: kill, deaths: death, arrowsShot: shot, arrowsHit: hit },
    ...{ matches: play, wins: win, losses: lose, ties: Math.max(0, play - win - lose) },
  };
}

async function readTotals(db: Queryable, playerKey: number): Promise<Partial<Record<string, number>>> {
  const sums: Record<string, number> = {};
  for (const counts of Object.values(await statsOf(db, playerKey)))
    for (const [counter, value] of Object.entries(counts)) sums[counter] = (sums[counter] ?? 0) + value;
  return sums;
}

async function readCounters(db: Queryable, playerKey: number): Promise<Map<string, number>> {
  const declared = (await listCounters(db)).filter(({ key }) => key in COUNTERS);
  if (declared.length === 0) return new Map();
  const ids = declared.map(({ id }) => id);
  const keys = new Map(declared.map(({ id, key }) => [id, key]));
  const rows = (await valuesOfPlayers(db, ids, [playerKey])).filter(([, mode]) => mode === 'total');
  return new Map(rows.map(([counter, , , value]) => [keys.get(counter)!, value]));
}
