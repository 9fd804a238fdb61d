import type { Random } from '../random.ts';

/** The period of the lattice; a power of two. */
const SIZE = 64;

/** Smooth two-dimensional noise: values from -1 to 1 that change over about one unit of length. */
export class Noise {
  readonly #lattice: Float64Array;

  constructor(random: Random) {
    this.#lattice = Float64Array.from({ length: SIZE * SIZE }, () => random.between(-1, 1));
  }

  at(x: number, y: number): number {
    const [left, top] = [Math.floor(x), Math.floor(y)];
    const [across, down] = [smooth(x - left), smooth(y - top)];
    const upper = mix(this.#corner(left, top), this.#corner(left + 1, top), across);
    const lower = mix(this.#corner(left, top + 1), this.#corner(left + 1, top + 1), across);
    return mix(upper, lower, down);
  }

  /** Noise at three scales. */
  rough(x: number, y: number): number {
    return this.at(x, y) * 0.6 + this.at(x * 2.1 + 17, y * 2.1 + 5) * 0.3 + this.at(x * 4.3 + 31, y * 4.3 + 47) * 0.15;
  }

  #corner(x: number, y: number): number {
    return this.#lattice[(y & (SIZE - 1)) * SIZE + (x & (SIZE - 1))]!;
  }
}

function smooth(fraction: number): number {
  return fraction * fraction * (3 - 2 * fraction);
}

export function mix(from: number, to: number, fraction: number): number {
  return from + (to - from) * fraction;
}
