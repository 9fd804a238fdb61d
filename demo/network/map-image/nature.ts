import type { Random } from '../random.ts';
import type { Layout } from './layout.ts';
import { type Relief, WIDTH, HEIGHT } from './relief.ts';
import { type Point, cellOf, copies, pointOf } from './symmetry.ts';
import type { Look } from './themes.ts';

type Plant = (relief: Relief, x: number, y: number, height: number, size: number) => void;

const PLANTS: Record<Look['plant'], Plant> = {
  round: roundTree,
  pine: pine,
  palm: palm,
  cactus: cactus,
  spire: spire,
  building,
};

/** Places plants, rocks and flowers on free cells, at the same positions for every team. */
export function growPlants(relief: Relief, layout: Layout, look: Look, random: Random): void {
  const attempts = Math.round((look.growth * layout.wild * WIDTH * HEIGHT) / 100);
  for (let number = 0; number < attempts; number++) {
    const point = pointOf(random.int(2, WIDTH - 3), random.int(2, HEIGHT - 3));
    const kind = random.weighted([look.plant === 'round' || look.plant === 'pine' ? 5 : 4, 2, 4]);
    const size = random.int(0, 2);
    const places = copies(layout.symmetry, point);
    if (!places.every((place) => isFree(relief, place, kind > 0 ? 1 : look.plant === 'building' ? 5 : 3))) continue;
    for (const place of places) grow(relief, look, cellOf(place), kind, size);
  }
}

function isFree(relief: Relief, place: Point, extent: number): boolean {
  const { x, y } = cellOf(place);
  for (let dy = -extent; dy <= extent; dy++) {
    for (let dx = -extent; dx <= extent; dx++) {
      if (relief.ground(x + dx, y + dy) === undefined || relief.isBuilt(x + dx, y + dy)) return false;
    }
  }
  return true;
}

function grow(relief: Relief, look: Look, { x, y }: Point, kind: number, size: number): void {
  const { height } = relief.ground(x, y)!;
  if (kind === 0) return PLANTS[look.plant](relief, x, y, height, size);
  if (kind === 1) return rock(relief, x, y, height, size);
  relief.build(x, y, height + 1, 'blossom');
}

function rock(relief: Relief, x: number, y: number, height: number, size: number): void {
  relief.build(x, y, height + 1 + size, 'rock');
  if (size > 0) relief.build(x + 1, y, height + size, 'rock');
  if (size > 1) relief.build(x, y + 1, height + 1, 'rock');
}

function roundTree(relief: Relief, x: number, y: number, height: number, size: number): void {
  relief.build(x, y, height + 3 + size, 'trunk');
  crown(
    relief,
    x,
    y,
    2 + size * 0.6,
    (distance, radius) => height + 4 + size + Math.round((radius - distance) * 1.1),
    3,
  );
}

function pine(relief: Relief, x: number, y: number, height: number, size: number): void {
  relief.build(x, y, height + 2, 'trunk');
  crown(relief, x, y, 2.3, (distance) => height + 8 + size - Math.round(distance * 2.6), 4);
}

function palm(relief: Relief, x: number, y: number, height: number, size: number): void {
  relief.build(x, y, height + 5 + size, 'trunk');
  for (const [dx, dy] of [
    [0, 0],
    [1, 0],
    [-1, 0],
    [2, 1],
    [-2, 1],
    [0, 1],
    [0, -1],
    [1, -1],
    [-1, -1],
    [2, -1],
    [-2, -1],
  ] as const) {
    relief.hang(x + dx, y + dy, height + 7 + size - Math.abs(dx), 1, 'leaf');
    relief.reserve(x + dx, y + dy);
  }
}

function cactus(relief: Relief, x: number, y: number, height: number, size: number): void {
  relief.build(x, y, height + 4 + size, 'leaf');
  relief.hang(x - 1, y, height + 3, 1, 'leaf');
  relief.hang(x + 1, y, height + 2 + size, 1, 'leaf');
  relief.reserve(x - 1, y);
  relief.reserve(x + 1, y);
}

/** A building of plaster or brick with a gabled roof; it takes the place of plants in a city. */
function building(relief: Relief, x: number, y: number, height: number, size: number): void {
  const [width, depth] = [3 + (size % 2), 2 + (size > 0 ? 1 : 0)];
  for (let dy = -depth; dy <= depth; dy++) {
    for (let dx = -width; dx <= width; dx++) {
      relief.build(x + dx, y + dy, height + 5, size === 1 ? 'floor' : 'wall');
      relief.hang(x + dx, y + dy, height + 8 + size - Math.abs(dy), 2, size === 0 ? 'blossom' : 'trunk');
    }
  }
}

/** A spike of stone or crystal. */
function spire(relief: Relief, x: number, y: number, height: number, size: number): void {
  relief.build(x, y, height + 5 + size * 2, size === 1 ? 'blossom' : 'leaf');
  relief.build(x + 1, y, height + 3 + size, 'rock');
  relief.build(x - 1, y, height + 2, 'rock');
  relief.build(x, y + 1, height + 2 + size, size === 1 ? 'blossom' : 'leaf');
}

function crown(
  relief: Relief,
  x: number,
  y: number,
  radius: number,
  top: (distance: number, radius: number) => number,
  depth: number,
): void {
  const extent = Math.ceil(radius);
  for (let dy = -extent; dy <= extent; dy++) {
    for (let dx = -extent; dx <= extent; dx++) {
      const distance = Math.hypot(dx, dy);
      if (distance > radius) continue;
      relief.hang(x + dx, y + dy, top(distance, radius), depth, 'leaf');
      relief.reserve(x + dx, y + dy);
    }
  }
}
