import type { Random } from '../random.ts';
import type { Layout } from './layout.ts';
import { HEIGHT, type Material, type Relief, WIDTH } from './relief.ts';
import { distanceTo } from './shapes.ts';
import { pointOf } from './symmetry.ts';

/** The height of each floor above the ground, and the two materials of its tiles. */
const FLOORS: readonly { height: number; tiles: readonly [Material, Material] }[] = [
  { height: 3, tiles: ['blossom', 'rock'] },
  { height: 8, tiles: ['floor', 'path'] },
  { height: 13, tiles: ['ground', 'patch'] },
];
const STEP_BACK = 5;

/** Builds floors above each other, with holes left by players through which the floor below is visible. */
export function dropFloors(relief: Relief, layout: Layout, random: Random): void {
  FLOORS.forEach(({ height, tiles }, level) => {
    const gone = level === 0 ? new Set<number>() : trails(random, level * 5);
    for (let y = 0; y < HEIGHT; y++) {
      for (let x = 0; x < WIDTH; x++) {
        const coast = Math.min(...layout.land.map((shape) => distanceTo(shape, pointOf(x, y)))) + 1 + level * STEP_BACK;
        if (coast > 0 || gone.has(y * WIDTH + x)) continue;
        const tile = tiles[(Math.floor(x / 5) + Math.floor(y / 5)) % 2]!;
        relief.build(x, y, height, coast > -2 ? 'wall' : tile);
      }
    }
  });
}

/** The cells that disappeared under running players. */
function trails(random: Random, runners: number): Set<number> {
  const gone = new Set<number>();
  for (let runner = 0; runner < runners; runner++) {
    let [x, y, turn] = [random.between(35, 110), random.between(30, 92), random.between(0, 2 * Math.PI)];
    for (let step = random.int(20, 55); step > 0; step--) {
      turn += random.between(-0.5, 0.5);
      x += Math.cos(turn);
      y += Math.sin(turn);
      for (let dy = -1; dy <= 1; dy++)
        for (let dx = -1; dx <= 1; dx++) gone.add(Math.round(y + dy) * WIDTH + Math.round(x + dx));
    }
  }
  return gone;
}
