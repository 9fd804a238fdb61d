import { type Noise, mix } from './noise.ts';
import { HEIGHT, type Relief, WIDTH } from './relief.ts';

/** The number of brightness levels, from 0 (deepest shade) to SHADES - 1. */
export const SHADES = 9;
const PLAIN = 5;
const SHADOW_REACH = 11;

/** The brightness of a cell's top; the sun is low in the west-north-west. */
export function topShade(relief: Relief, grain: Noise, x: number, y: number, height: number): number {
  const edge = Math.sign(height - relief.height(x - 1, y)) + Math.sign(height - relief.height(x, y - 1));
  const speckle = grain.at(x * 1.7, y * 1.7) > 0.35 ? -1 : 0;
  const shade = PLAIN + Math.max(-1, Math.min(2, edge)) + speckle;
  return clamp(isShaded(relief, x, y, height) ? shade - 2 : shade);
}

/** The brightness of a cell's south side: half shade, darker towards the bottom. */
export function sideShade(below: number, x: number): number {
  return clamp(3 - Math.floor(below / 3) - (x % 5 === 0 ? 1 : 0));
}

export function isShaded(relief: Relief, x: number, y: number, height: number): boolean {
  for (let step = 1; step <= SHADOW_REACH; step++) {
    if (relief.height(x - step, y - Math.round(step * 0.5)) > height + step * 0.9) return true;
  }
  return false;
}

function clamp(shade: number): number {
  return Math.max(0, Math.min(SHADES - 1, shade));
}

/** The distance of each cell to the nearest land, up to a limit; water is lighter near the shore. */
export function shoreDistances(relief: Relief, limit: number): Float64Array {
  const distances = new Float64Array(WIDTH * HEIGHT).fill(limit);
  propagate(distances, (x, y) => relief.ground(x, y) !== undefined, false);
  propagate(distances, () => false, true);
  return distances;
}

/** One pass of a two-pass distance transform: forwards from the top left, or backwards. */
function propagate(distances: Float64Array, isLand: (x: number, y: number) => boolean, backwards: boolean): void {
  const step = backwards ? 1 : -1;
  for (let number = 0; number < WIDTH * HEIGHT; number++) {
    const cell = backwards ? WIDTH * HEIGHT - 1 - number : number;
    const [x, y] = [cell % WIDTH, Math.floor(cell / WIDTH)];
    const beside = x + step >= 0 && x + step < WIDTH ? distances[cell + step]! : Infinity;
    const before = distances[cell + step * WIDTH] ?? Infinity;
    distances[cell] = isLand(x, y) ? 0 : Math.min(distances[cell]!, beside + 1, before + 1);
  }
}

/** A colour at a brightness level: dark levels turn to blue, bright ones to yellow. */
export function shaded([red, green, blue]: readonly [number, number, number], shade: number): [number, number, number] {
  const level = shade / PLAIN;
  const tint = (value: number, cold: number, warm: number): number => {
    const lit = level <= 1 ? mix(cold, value, mix(0.42, 1, level)) : mix(value, warm, (level - 1) * 0.42);
    return Math.round(Math.max(0, Math.min(255, lit)));
  };
  return [tint(red, 22, 255), tint(green, 24, 250), tint(blue, 48, 225)];
}
