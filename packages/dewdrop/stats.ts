import type { DewdropCore } from './core.ts';
import { COUNTERS } from './match-event.ts';

/** The totals of a player as Dewdrop's `/stats` reads them; zeros for a player who is not known. */
export async function profileStats(core: DewdropCore, uuid: string): Promise<Record<string, number>> {
  const { totals = {}, counters } = (await core.statisticsOf(uuid, Object.keys(COUNTERS))) ?? {};
  const { kill = 0, death = 0, shot = 0, hit = 0, play = 0, win = 0, lose = 0 } = totals;
  const named = Object.entries(COUNTERS).map(([key, name]) => [name, counters?.get(key) ?? 0] as const);
  return {
    ...Object.fromEntries(named),
    ...{ kills: kill, deaths: death, arrowsShot: shot, arrowsHit: hit },
    ...{ matches: play, wins: win, losses: lose, ties: Math.max(0, play - win - lose) },
  };
}
