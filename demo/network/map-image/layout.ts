import type { Gamemode } from '#demo/network/match/modes.ts';
import type { Random } from '../random.ts';
import { alleys, arena, court, floors, hill, plaza, ruin } from './plans-of-fields.ts';
import { fourIslands, pointChain, riverBanks, strongholds, woolIslands } from './plans-of-islands.ts';
import type { Shape } from './shapes.ts';
import type { Point, Symmetry } from './symmetry.ts';

/** What is planned for one team; symmetry gives the others theirs. */
export interface Layout {
  symmetry: Symmetry;
  land: Shape[];
  /** Walked ways: paths on land, bridges over what lies between. */
  lanes: Point[][];
  laneWidth: number;
  base: Point;
  /** Where wools, cores, monuments or flags are. */
  goals: Point[];
  /** How ragged coasts are. */
  rough: number;
  /** How hilly the land is. */
  hills: number;
  /** How much grows, against what the theme has. */
  wild: number;
  river?: boolean;
  walls?: boolean;
}

/** How a map of the gamemode is laid out for so many teams (none: everybody for themselves). */
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
