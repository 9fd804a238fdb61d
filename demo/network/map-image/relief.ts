/** Cells across and down; each is drawn as a square of two pixels, so that pictures have the 290 by 246 of PGM's. */
export const WIDTH = 145;
export const HEIGHT = 123;

/** What a cell shows from above; which colours that means is decided by the map's theme and teams. */
export const MATERIALS = [
  'abyss',
  'ground',
  'patch',
  'path',
  'rock',
  'wall',
  'floor',
  'leaf',
  'blossom',
  'trunk',
  'plank',
  'dark',
  'white',
  'glow',
  'pond',
  'team0',
  'team1',
  'team2',
  'team3',
  'wool0',
  'wool1',
  'wool2',
  'wool3',
] as const;

export type Material = (typeof MATERIALS)[number];

export interface Block {
  height: number;
  material: Material;
  /** How far it reaches down; what stands on the ground reaches all the way. */
  depth: number;
}

/** A landscape of columns and of what hangs above them (bridges, crowns, roofs), one of each a cell. */
export class Relief {
  readonly #ground = Array.from<Block | undefined>({ length: WIDTH * HEIGHT });
  readonly #above = Array.from<Block | undefined>({ length: WIDTH * HEIGHT });
  readonly #built = new Uint8Array(WIDTH * HEIGHT);

  ground(x: number, y: number): Block | undefined {
    return inside(x, y) ? this.#ground[y * WIDTH + x] : undefined;
  }

  above(x: number, y: number): Block | undefined {
    return inside(x, y) ? this.#above[y * WIDTH + x] : undefined;
  }

  /** How high the cell is with everything on it; 0 where there is nothing. */
  height(x: number, y: number): number {
    return Math.max(this.ground(x, y)?.height ?? 0, this.above(x, y)?.height ?? 0);
  }

  /** Whether something was made here: nothing grows on it. */
  isBuilt(x: number, y: number): boolean {
    return inside(x, y) && this.#built[y * WIDTH + x] === 1;
  }

  set(x: number, y: number, height: number, material: Material): void {
    if (inside(x, y)) this.#ground[y * WIDTH + x] = { height, material, depth: Infinity };
  }

  build(x: number, y: number, height: number, material: Material): void {
    this.set(x, y, height, material);
    this.reserve(x, y);
  }

  hang(x: number, y: number, height: number, depth: number, material: Material): void {
    if (inside(x, y)) this.#above[y * WIDTH + x] = { height, material, depth };
  }

  reserve(x: number, y: number): void {
    if (inside(x, y)) this.#built[y * WIDTH + x] = 1;
  }
}

export function inside(x: number, y: number): boolean {
  return x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT;
}
