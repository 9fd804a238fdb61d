import { isShaded, SHADES, shaded, shoreDistances, sideShade, topShade } from './light.ts';
import type { Noise } from './noise.ts';
import { type Rgb, encodePng } from './png.ts';
import { type Block, HEIGHT, type Material, type Relief, WIDTH } from './relief.ts';
import type { Abyss, Look } from './themes.ts';

const SCALE = 2;
const SHORE = 7;
/** Columns extend upwards in the picture; this offset keeps the land centred. */
const LIFT = 4;

export type Colours = Readonly<Record<Material, Rgb>>;

/** Draws a landscape as a PNG, from north to south, so that blocks in front cover those behind. */
export function render(relief: Relief, look: Look, colours: Colours, noise: Noise): Buffer {
  const palette = new Palette();
  const cells = new Uint8Array(WIDTH * HEIGHT);
  const paint = (x: number, row: number, colour: Rgb, shade?: number): void => {
    if (row >= 0 && row < HEIGHT) cells[row * WIDTH + x] = palette.placeOf(colour, shade);
  };
  const shores = shoreDistances(relief, SHORE);
  for (let y = 0; y < HEIGHT; y++) for (let x = 0; x < WIDTH; x++) paintAbyss(relief, look, shores, noise, paint, x, y);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const [ground, above] = [relief.ground(x, y), relief.above(x, y)];
      if (ground !== undefined) paintBlock(relief, look, colours, noise, paint, x, y, ground);
      if (above !== undefined) paintBlock(relief, look, colours, noise, paint, x, y, above);
    }
  }
  return encodePng(WIDTH * SCALE, HEIGHT * SCALE, palette.colours, enlarged(cells));
}

type Paint = (x: number, row: number, colour: Rgb, shade?: number) => void;

function paintBlock(
  relief: Relief,
  look: Look,
  colours: Colours,
  noise: Noise,
  paint: Paint,
  x: number,
  y: number,
  block: Block,
): void {
  const colour = colours[block.material];
  const row = y - block.height + LIFT;
  const earthen = block.depth === Infinity && (block.material === 'path' || !relief.isBuilt(x, y));
  const steps = Math.min(block.depth, block.height + underside(look.abyss));
  const column = x + Math.floor(noise.at(x, y) * 2);
  for (let below = 1; below <= steps; below++) {
    const side = earthen && below > 1 ? look.cliff : colour;
    paint(x, row + below, side, sideShade(below, column));
  }
  const shade = block.material === 'glow' ? SHADES - 2 : topShade(relief, noise, x, y, block.height);
  paint(x, row, colour, shade);
}

/** The additional depth of the visible flank of floating land. */
function underside(abyss: Abyss): number {
  return abyss === 'void' ? 5 : 0;
}

function paintAbyss(
  relief: Relief,
  look: Look,
  shores: Float64Array,
  noise: Noise,
  paint: Paint,
  x: number,
  y: number,
): void {
  const [deep, middle, near] = look.depths;
  if (look.abyss === 'void') {
    paint(x, y, noise.rough(x / 22, y / 30) > 0.12 ? middle : noise.at(x * 3.1, y * 3.1) > 0.86 ? near : deep);
    return;
  }
  const distance = shores[y * WIDTH + x]! + noise.rough(x / 5, y / 5) * 2.2;
  const colour = distance < 2 ? near : distance < 5 ? middle : deep;
  const wave = noise.at(x / 3, y * 1.1) > 0.55 ? 6 : 5;
  paint(x, y, colour, isShaded(relief, x, y - LIFT, 0) ? 3 : wave);
}

class Palette {
  readonly colours: Rgb[] = [];
  readonly #places = new Map<number, number>();
  /** The places of each colour by shade, as computing a shade costs more than finding it. */
  readonly #shades = new Map<Rgb, number[]>();

  /** @param shade the colour itself if left out */
  placeOf(colour: Rgb, shade?: number): number {
    if (shade === undefined) return this.#place(colour);
    let places = this.#shades.get(colour);
    if (places === undefined) this.#shades.set(colour, (places = []));
    return (places[shade] ??= this.#place(shaded(colour, shade)));
  }

  #place(colour: Rgb): number {
    const key = (colour[0] << 16) | (colour[1] << 8) | colour[2];
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.colours.push(colour) - 1;
      this.#places.set(key, place);
    }
    return place;
  }
}

function enlarged(cells: Uint8Array): Uint8Array {
  const width = WIDTH * SCALE;
  const pixels = new Uint8Array(width * HEIGHT * SCALE);
  for (let y = 0; y < HEIGHT * SCALE; y++) {
    for (let x = 0; x < width; x++)
      pixels[y * width + x] = cells[Math.floor(y / SCALE) * WIDTH + Math.floor(x / SCALE)]!;
  }
  return pixels;
}
