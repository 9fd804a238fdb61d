import { GROUND } from './land.ts';
import type { Layout } from './layout.ts';
import type { Relief } from './relief.ts';
import { type Point, cellOf, copies } from './symmetry.ts';

/** Draws the ways of a layout: trodden on land, planks where there is none. */
export function drawLanes(relief: Relief, layout: Layout): void {
  for (const lane of layout.lanes) {
    for (let leg = 1; leg < lane.length; leg++) drawLeg(relief, layout, lane[leg - 1]!, lane[leg]!);
  }
}

function drawLeg(relief: Relief, layout: Layout, from: Point, to: Point): void {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  for (let step = 0; step <= length; step += 0.5) {
    const quota = step / Math.max(1, length);
    const point = { x: from.x + (to.x - from.x) * quota, y: from.y + (to.y - from.y) * quota };
    for (const place of copies(layout.symmetry, point)) tread(relief, place, layout.laneWidth);
  }
}

function tread(relief: Relief, place: Point, width: number): void {
  const reach = Math.ceil(width);
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      if (dx * dx + dy * dy > width * width) continue;
      const { x, y } = cellOf({ x: place.x + dx, y: place.y + dy });
      const ground = relief.ground(x, y);
      if (ground === undefined) relief.hang(x, y, GROUND, 2, 'plank');
      else relief.build(x, y, ground.height, 'path');
    }
  }
}
