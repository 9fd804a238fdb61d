import type { Gamemode } from '#demo/network/match/modes.ts';
import type { Random } from '../random.ts';
import type { Layout } from './layout.ts';
import { alleys, arena, court, floors, hill, plaza, ruin } from './plans-of-fields.ts';
import { fourIslands, pointChain, riverBanks, strongholds, woolIslands } from './plans-of-islands.ts';

/** The layout of a map for a gamemode and a number of teams (0: free for all). */
export function layoutOf(gamemode: Gamemode, teams: number, random: Random): Layout {
  if (teams === 4) return fourIslands(random);
  return PLANS[gamemode](random);
}

const PLANS: Record<Gamemode, (random: Random) => Layout> = {
  ctw: woolIslands,
  dtc: strongholds,
  dtm: strongholds,
  ctf: riverBanks,
  cp: pointChain,
  koth: hill,
  tdm: arena,
  blitz: ruin,
  rage: alleys,
  bowspleef: floors,
  tntrun: floors,
  paintball: court,
  splatt: plaza,
};
