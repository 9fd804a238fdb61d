import type { Gamemode } from '#demo/network/match/modes.ts';
import type { SampleMap } from '../maps.ts';
import type { Random } from '../random.ts';
import { type Site, core, crate, flag, home, obelisk, point, siteOf, terraces, woolRoom } from './buildings.ts';
import { GROUND } from './land.ts';
import type { Layout } from './layout.ts';
import { paintBlobs } from './paint.ts';
import { HEIGHT, type Material, type Relief, WIDTH } from './relief.ts';
import { type Point, cellOf, copies } from './symmetry.ts';
import { dropFloors } from './floors.ts';

const TEAMS: readonly Material[] = ['team0', 'team1', 'team2', 'team3'];
const WOOLS: readonly Material[] = ['wool0', 'wool1', 'wool2', 'wool3'];

/** Builds the team bases and the objectives of the gamemode. */
export function furnish(relief: Relief, layout: Layout, map: SampleMap, random: Random): void {
  const gamemode = map.gamemodes[0]!;
  if (map.teams.length > 0) eachTeam(layout, layout.base, (site, team) => home(relief, site, TEAMS[team]!));
  if (layout.walls === true) wallIn(relief);
  FURNITURE[gamemode]?.(relief, layout, random);
}

type Furniture = (relief: Relief, layout: Layout, random: Random) => void;

const FURNITURE: Partial<Record<Gamemode, Furniture>> = {
  ctw: woolRooms,
  dtc: (relief, layout) =>
    layout.goals.forEach((goal) => eachTeam(layout, goal, (site, team) => core(relief, site, TEAMS[team]!))),
  dtm: (relief, layout) =>
    layout.goals.forEach((goal) => eachTeam(layout, goal, (site, team) => obelisk(relief, site, TEAMS[team]!))),
  ctf: (relief, layout) =>
    layout.goals.forEach((goal) => eachTeam(layout, goal, (site, team) => flag(relief, site, TEAMS[team]!))),
  cp: points,
  koth: (relief) => terraces(relief, siteOf({ x: 0, y: 0 }), 17),
  tdm: (relief, layout, random) => cover(relief, layout, random, 26, ['plank', 'wall', 'rock']),
  blitz: (relief, layout, random) => cover(relief, layout, random, 14, ['wall', 'wall', 'rock']),
  rage: maze,
  bowspleef: dropFloors,
  tntrun: dropFloors,
  paintball: (relief, layout, random) => {
    cover(relief, layout, random, 22, ['white', 'plank']);
    paintBlobs(relief, random, 130, 2.6);
  },
  splatt: (relief, layout, random) => {
    cover(relief, layout, random, 10, ['white', 'wall']);
    paintBlobs(relief, random, 75, 7);
  },
};

function eachTeam(layout: Layout, point: Point, build: (site: Site, team: number) => void): void {
  copies(layout.symmetry, point).forEach((place, team) => build(siteOf(place), team));
}

function woolRooms(relief: Relief, layout: Layout): void {
  layout.goals.forEach((goal, number) =>
    eachTeam(layout, goal, (site, team) => {
      const place = layout.symmetry === 'quartered' ? team : (1 - team) * 2 + number;
      woolRoom(relief, site, WOOLS[place]!);
    }),
  );
}

function points(relief: Relief, layout: Layout): void {
  point(relief, siteOf({ x: 0, y: 0 }), 8);
  for (const goal of layout.goals) eachTeam(layout, goal, (site) => point(relief, site));
}

/** Places crates as cover, at the same positions for every team. */
function cover(relief: Relief, layout: Layout, random: Random, count: number, materials: readonly Material[]): void {
  for (let number = 0; number < count; number++) {
    const place = { x: random.int(-40, -2), y: random.int(-38, 38) };
    const [material, height, width] = [random.pick(materials), random.int(2, 5), random.int(1, 3)];
    for (const [team, copy] of copies(layout.symmetry, place).entries()) {
      for (let step = 0; step < width; step++) {
        const site = siteOf({ x: copy.x + (team % 2 === 0 ? step : -step) * 2, y: copy.y });
        if (relief.ground(site.x, site.y) !== undefined && !relief.isBuilt(site.x, site.y))
          crate(relief, site, material, height);
      }
    }
  }
}

/** A wall along the coast. */
function wallIn(relief: Relief): void {
  const rim: Point[] = [];
  for (let y = 0; y < HEIGHT; y++) for (let x = 0; x < WIDTH; x++) if (isRim(relief, x, y)) rim.push({ x, y });
  for (const { x, y } of rim) relief.build(x, y, GROUND + ((x + y) % 4 < 2 ? 4 : 3), 'wall');
}

function isRim(relief: Relief, x: number, y: number): boolean {
  const sides = [
    [2, 0],
    [-2, 0],
    [0, 2],
    [0, -2],
  ] as const;
  return relief.ground(x, y) !== undefined && sides.some(([dx, dy]) => relief.ground(x + dx, y + dy) === undefined);
}

/** Blocks of buildings with alleys between them. */
function maze(relief: Relief, layout: Layout, random: Random): void {
  for (let y = -40; y <= 40; y += 13) {
    for (let x = -52; x <= 0; x += 13) {
      const [width, depth, height] = [random.int(3, 5), random.int(3, 5), random.int(3, 9)];
      const shift = { x: x + random.int(-2, 2), y: y + random.int(-1, 1) };
      for (const copy of copies(layout.symmetry, shift)) mazeBlock(relief, copy, width, depth, height);
    }
  }
}

function mazeBlock(relief: Relief, middle: Point, width: number, depth: number, height: number): void {
  const { x, y } = cellOf(middle);
  for (let dy = -depth; dy <= depth; dy++) {
    for (let dx = -width; dx <= width; dx++) {
      const ground = relief.ground(x + dx, y + dy);
      if (ground === undefined || ground.material === 'wall') continue;
      const rim = Math.abs(dx) === width || Math.abs(dy) === depth;
      relief.build(x + dx, y + dy, GROUND + height + (rim ? 1 : 0), rim ? 'wall' : height > 6 ? 'rock' : 'plank');
    }
  }
}
