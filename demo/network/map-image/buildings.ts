import { GROUND } from './land.ts';
import type { Material, Relief } from './relief.ts';
import { type Point, cellOf } from './symmetry.ts';

/** A place to build on: the cell, and the direction of the map's centre. */
export interface Site {
  x: number;
  y: number;
  towards: Point;
}

export function siteOf(point: Point): Site {
  const length = Math.hypot(point.x, point.y) || 1;
  return { ...cellOf(point), towards: { x: -point.x / length, y: -point.y / length } };
}

/** Calls `each` with the offset of every cell of a square around a site. */
export function around(radius: number, each: (dx: number, dy: number) => void): void {
  for (let dy = -radius; dy <= radius; dy++) for (let dx = -radius; dx <= radius; dx++) each(dx, dy);
}

function slab(relief: Relief, site: Site, radius: number, height: number, material: Material): void {
  around(radius, (dx, dy) => relief.build(site.x + dx, site.y + dy, height, material));
}

export function round(relief: Relief, site: Site, radius: number, height: number, material: Material): void {
  around(Math.ceil(radius), (dx, dy) => {
    if (dx * dx + dy * dy <= radius * radius) relief.build(site.x + dx, site.y + dy, height, material);
  });
}

/** The base of a team: a platform with a ring in its colour, a keep behind it and four towers. */
export function home(relief: Relief, site: Site, colour: Material): void {
  round(relief, site, 9, GROUND + 1, 'floor');
  around(9, (dx, dy) => {
    const distance = Math.hypot(dx, dy);
    if (distance > 6.2 && distance <= 7.4) relief.build(site.x + dx, site.y + dy, GROUND + 1, colour);
  });
  for (const [dx, dy] of [
    [-6, -6],
    [6, -6],
    [-6, 6],
    [6, 6],
  ] as const)
    tower(relief, { ...site, x: site.x + dx, y: site.y + dy }, colour);
  const [backX, backY] = [Math.round(-site.towards.x * 4), Math.round(-site.towards.y * 4)];
  keep(relief, { ...site, x: site.x + backX, y: site.y + backY }, colour);
}

function tower(relief: Relief, site: Site, colour: Material): void {
  slab(relief, site, 1, GROUND + 6, 'wall');
  around(1, (dx, dy) => relief.hang(site.x + dx, site.y + dy, GROUND + (dx === 0 && dy === 0 ? 9 : 8), 2, colour));
}

/** A building with a gabled roof in the team's colour. */
function keep(relief: Relief, site: Site, colour: Material): void {
  for (let dy = -3; dy <= 3; dy++) {
    for (let dx = -4; dx <= 4; dx++) {
      relief.build(site.x + dx, site.y + dy, GROUND + 5, 'wall');
      relief.hang(site.x + dx, site.y + dy, GROUND + 9 - Math.abs(dy), 2, colour);
    }
  }
}

/** A room with a roof of the wool inside. */
export function woolRoom(relief: Relief, site: Site, wool: Material): void {
  round(relief, site, 5, GROUND + 1, 'floor');
  slab(relief, site, 3, GROUND + 4, 'wall');
  slab(relief, site, 2, GROUND + 2, 'floor');
  around(1, (dx, dy) => relief.build(site.x + dx, site.y + dy, GROUND + 7, wool));
}

/** A core of dark glass filled with lava. */
export function core(relief: Relief, site: Site, colour: Material): void {
  round(relief, site, 6, GROUND + 1, 'floor');
  around(6, (dx, dy) => {
    const distance = Math.hypot(dx, dy);
    if (distance > 4.6 && distance <= 5.6) relief.build(site.x + dx, site.y + dy, GROUND + 1, colour);
  });
  around(3, (dx, dy) => {
    const rim = Math.max(Math.abs(dx), Math.abs(dy)) === 3;
    relief.build(site.x + dx, site.y + dy, GROUND + (rim ? 9 : 8), rim ? 'dark' : 'glow');
  });
}

export function obelisk(relief: Relief, site: Site, colour: Material): void {
  round(relief, site, 5, GROUND + 1, 'floor');
  slab(relief, site, 3, GROUND + 2, 'wall');
  slab(relief, site, 1, GROUND + 11, 'dark');
  around(1, (dx, dy) => relief.hang(site.x + dx, site.y + dy, GROUND + 13, 3, colour));
}

export function flag(relief: Relief, site: Site, colour: Material): void {
  round(relief, site, 5, GROUND + 1, 'floor');
  round(relief, site, 3, GROUND + 2, colour);
  round(relief, site, 1.5, GROUND + 3, 'white');
  relief.build(site.x, site.y, GROUND + 14, 'trunk');
  for (let dx = 1; dx <= 6; dx++) relief.hang(site.x + dx, site.y, GROUND + 14 - (dx > 3 ? 1 : 0), 5, colour);
}

/** A control point: rings around a beacon. */
export function point(relief: Relief, site: Site, radius = 7): void {
  round(relief, site, radius, GROUND + 1, 'white');
  round(relief, site, radius - 1.2, GROUND + 1, 'floor');
  round(relief, site, radius - 4, GROUND + 2, 'white');
  round(relief, site, 1, GROUND + 6, 'glow');
}

/** Terraces that rise to a beacon. */
export function terraces(relief: Relief, site: Site, radius: number): void {
  for (let step = 0; step < 4; step++) {
    const extent = radius - step * (radius / 4.6);
    round(relief, site, extent, GROUND + 1 + step * 2, 'wall');
    round(relief, site, extent - 1, GROUND + 1 + step * 2, step % 2 === 0 ? 'ground' : 'patch');
  }
  round(relief, site, 3.4, GROUND + 8, 'white');
  round(relief, site, 1.2, GROUND + 13, 'glow');
}

export function crate(relief: Relief, site: Site, material: Material, height = 3): void {
  for (const [dx, dy] of [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
  ] as const)
    relief.build(site.x + dx, site.y + dy, GROUND + height, material);
}
