import type { Layout } from './layout.ts';
import type { Noise } from './noise.ts';
import { HEIGHT, type Relief, WIDTH } from './relief.ts';
import { distanceTo } from './shapes.ts';
import { type Point, copies, pointOf } from './symmetry.ts';

/** The height of land above its surroundings. */
export const GROUND = 5;
const RIVER_HALF = 4.5;

/** Above the largest value of `Noise.rough`. */
const ROUGH_MAX = 1.1;
/** The strip along the coast, in cells, that lies one block lower. */
const SHORE = 1.2;

/** Raises the land of a layout with its hills and coast, the same for every team. */
export function raiseLand(relief: Relief, layout: Layout, noise: Noise): void {
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const places = copies(layout.symmetry, pointOf(x, y));
      const coast = raggedCoast(layout, places, noise);
      if (coast >= 0 || isRiver(layout, pointOf(x, y), noise)) continue;
      const rise =
        layout.hills === 0 ? 0 : layout.hills * evenly(places, (place) => noise.rough(place.x / 18, place.y / 18));
      const shore = coast > -SHORE && layout.hills > 0 ? -1 : 0;
      relief.set(x, y, Math.max(2, Math.round(GROUND + rise) + shore), isPatch(noise, places) ? 'patch' : 'ground');
    }
  }
}

/**
 * Distance to the ragged coast, below 0 on land. Noise is costly and left out if it cannot change sea, land or shore.
 */
function raggedCoast(layout: Layout, places: readonly Point[], noise: Noise): number {
  const coast = coastDistance(layout, places);
  const distance = ROUGH_MAX * layout.rough;
  return coast >= distance || coast < -SHORE - distance ? coast : coast + ragged(noise, places) * layout.rough;
}

function coastDistance(layout: Layout, places: readonly Point[]): number {
  let nearest = Infinity;
  for (const place of places) for (const shape of layout.land) nearest = Math.min(nearest, distanceTo(shape, place));
  return nearest;
}

function ragged(noise: Noise, places: readonly Point[]): number {
  return evenly(places, (place) => noise.rough(place.x / 9 + 100, place.y / 9));
}

function isPatch(noise: Noise, places: readonly Point[]): boolean {
  return evenly(places, (place) => noise.rough(place.x / 7 + 50, place.y / 7 + 50)) > 0.22 / Math.sqrt(places.length);
}

function isRiver(layout: Layout, point: Point, noise: Noise): boolean {
  if (layout.river !== true) return false;
  const bend = layout.symmetry === 'turned' ? Math.sin(point.y / 13) * 5 : 0;
  return Math.abs(point.x - bend) < RIVER_HALF + noise.at(Math.abs(point.y) / 6, 3);
}

/** The mean over all symmetric positions, which makes the value the same for every team. */
function evenly(places: readonly Point[], value: (place: Point) => number): number {
  return places.reduce((sum, place) => sum + value(place), 0) / places.length;
}
