/** The size in cells. Each cell is drawn as 2 × 2 pixels, which gives PGM's picture size of 290 by 246. */
export const WIDTH = 145;
export const HEIGHT = 123;

/** The surface of a cell; the map's theme and teams decide its colour. */
const MATERIALS = [
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
  /** The thickness of the block; infinite for blocks on the ground. */
  depth: number;
}

/** A landscape with one column per cell and at most one block above it, such as a bridge, a tree crown or a roof. */
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

  /** The height of the cell including the block above it; 0 for an empty cell. */
  height(x: number, y: number): number {
    return Math.max(this.ground(x, y)?.height ?? 0, this.above(x, y)?.height ?? 0);
  }

  /** Whether something was built or reserved here, so that no plant is placed. */
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
