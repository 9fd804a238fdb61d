import type { SampleMap } from '../maps.ts';
import { Random } from '../random.ts';
import { drawLanes } from './lanes.ts';
import { raiseLand } from './land.ts';
import { layoutOf } from './plans.ts';
import { growPlants } from './nature.ts';
import { Noise } from './noise.ts';
import type { Rgb } from './png.ts';
import { Relief } from './relief.ts';
import { type Colours, render } from './render.ts';
import { furnish } from './furnish.ts';
import { CHAT, DYE, type Look, THEMES } from './themes.ts';
import { woolsOf } from '#demo/network/match/objectives.ts';

/** Draws a map from above, as a PNG of 290 by 246. The same seed and map give the same bytes. */
export function drawMap(seed: string, map: SampleMap): Buffer {
  const random = new Random(seed, 'picture', map.name);
  const look: Look = THEMES[map.theme];
  const relief = new Relief();
  const noise = new Noise(random);
  const layout = layoutOf(map.gamemodes[0]!, map.teams.length, random);
  raiseLand(relief, layout, noise);
  drawLanes(relief, layout);
  furnish(relief, layout, map, random);
  growPlants(relief, layout, look, random);
  return render(relief, look, chooseColours(look, map), noise);
}

function chooseColours(look: Look, map: SampleMap): Colours {
  const team = (place: number): Rgb => CHAT[map.teams[place]?.color ?? 'gray']!;
  const wool = (place: number): Rgb => DYE[woolsOf(map.name)[place]!]!;
  return {
    abyss: look.depths[0],
    ground: look.ground,
    patch: look.patch,
    path: look.path,
    rock: look.rock,
    wall: look.wall,
    floor: look.floor,
    leaf: look.leaf,
    blossom: look.blossom,
    trunk: look.trunk,
    plank: [168, 128, 80],
    dark: [52, 42, 66],
    white: [236, 234, 226],
    glow: [255, 190, 70],
    pond: look.abyss === 'water' ? look.depths[1] : [84, 150, 190],
    team0: team(0),
    team1: team(1),
    team2: team(2),
    team3: team(3),
    wool0: wool(0),
    wool1: wool(1),
    wool2: wool(2),
    wool3: wool(3),
  };
}
