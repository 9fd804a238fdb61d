/** Reproducible random choices for load tests. */

/** A seeded generator of random numbers from 0 to below 1 (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Draws from one seed. A part that runs concurrently takes a `fork`, so that its draws do not depend on the order. */
export class Random {
  readonly #draw: () => number;

  constructor(seed: number) {
    this.#draw = generator(seed);
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.#draw() * limit);
  }

  chance(probability: number): boolean {
    return this.#draw() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** Different items, in random order. */
  sample<T>(items: readonly T[], count: number): T[] {
    return this.shuffled(items).slice(0, count);
  }

  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, at: this.#draw() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }

  fork(): Random {
    return new Random(this.below(2 ** 31));
  }
}
