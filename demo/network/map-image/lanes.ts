import { GROUND } from './land.ts';
import type { Layout } from './layout.ts';
import type { Relief } from './relief.ts';
import { type Point, cellOf, copies } from './symmetry.ts';

/** Draws the lanes of a layout: paths on land, planks over water or void. */
export function drawLanes(relief: Relief, layout: Layout): void {
  for (const lane of layout.lanes) {
    for (let leg = 1; leg < lane.length; leg++) drawLeg(relief, layout, lane[leg - 1]!, lane[leg]!);
  }
}

function drawLeg(relief: Relief, layout: Layout, from: Point, to: Point): void {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  for (let step = 0; step <= length; step += 0.5) {
    const fraction = step / Math.max(1, length);
    const point = { x: from.x + (to.x - from.x) * fraction, y: from.y + (to.y - from.y) * fraction };
    for (const place of copies(layout.symmetry, point)) tread(relief, place, layout.laneWidth);
  }
}

function tread(relief: Relief, place: Point, width: number): void {
  const extent = Math.ceil(width);
  for (let dy = -extent; dy <= extent; dy++) {
    for (let dx = -extent; dx <= extent; dx++) {
      if (dx * dx + dy * dy > width * width) continue;
      const { x, y } = cellOf({ x: place.x + dx, y: place.y + dy });
      const ground = relief.ground(x, y);
      if (ground === undefined) relief.hang(x, y, GROUND, 2, 'plank');
      else relief.build(x, y, ground.height, 'path');
    }
  }
}
