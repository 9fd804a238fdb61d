import type { Random } from '../random.ts';
import type { Material, Relief } from './relief.ts';
import { HEIGHT, WIDTH } from './relief.ts';

/** Paints splashes in the colours of both teams, each mostly on its own half. */
export function paintBlobs(relief: Relief, random: Random, count: number, size: number): void {
  for (let number = 0; number < count; number++) {
    const x = random.int(8, WIDTH - 9);
    const y = random.int(12, HEIGHT - 13);
    const own = x < WIDTH / 2 ? 'team0' : 'team1';
    const other = own === 'team0' ? 'team1' : 'team0';
    splash(relief, random, x, y, size * random.between(0.5, 1.2), random.chance(0.75) ? own : other);
  }
}

function splash(relief: Relief, random: Random, x: number, y: number, radius: number, colour: Material): void {
  const lobes = Array.from({ length: 5 }, () => ({
    turn: random.between(0, 2 * Math.PI),
    distance: radius * random.between(0.4, 1),
  }));
  const drops = lobes.map(({ turn, distance }) => ({
    x: x + Math.cos(turn) * distance,
    y: y + Math.sin(turn) * distance,
    radius: radius * 0.45,
  }));
  const extent = Math.ceil(radius * 1.6);
  for (let dy = -extent; dy <= extent; dy++) {
    for (let dx = -extent; dx <= extent; dx++) {
      const wet =
        Math.hypot(dx, dy) < radius * 0.75 ||
        drops.some((drop) => Math.hypot(x + dx - drop.x, y + dy - drop.y) < drop.radius);
      const ground = relief.ground(x + dx, y + dy);
      if (wet && ground !== undefined && ground.material !== 'wall') relief.set(x + dx, y + dy, ground.height, colour);
    }
  }
}
