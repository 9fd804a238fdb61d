import { hash } from 'node:crypto';

/**
 * A pseudo-random generator that returns the same numbers for the same labels on every machine: sfc32 (Chris
 * Doty-Humphrey's small fast counter), seeded with a hash of the labels. Parts of the sample network with different labels
 * are independent of each other.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  constructor(...labels: readonly (string | number)[]) {
    const digest = hash('sha256', labels.join('\n'), 'buffer');
    this.#a = digest.readUInt32LE(0);
    this.#b = digest.readUInt32LE(4);
    this.#c = digest.readUInt32LE(8);
    this.#counter = digest.readUInt32LE(12);
  }

  /** 32 random bits. */
  bits(): number {
    const result = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + result;
    return result >>> 0;
  }

  /** From 0 to just below 1. */
  next(): number {
    return this.bits() / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** A whole number, both ends included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** The index of one of the weights, chosen with a probability in proportion to the weight. */
  weighted(weights: readonly number[]): number {
    let rest = this.next() * weights.reduce((sum, weight) => sum + weight, 0);
    const place = weights.findIndex((weight) => (rest -= weight) < 0);
    return place < 0 ? weights.length - 1 : place;
  }

  /** Approximately normal with mean 0 and deviation 1: a sum of twelve uniform numbers, always from -6 to 6. */
  normal(): number {
    let sum = -6;
    for (let draw = 0; draw < 12; draw++) sum += this.next();
    return sum;
  }

  /** A Poisson-distributed number with the given mean; approximated by a normal distribution above 30. */
  count(mean: number): number {
    if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()));
    const limit = Math.exp(-mean);
    let count = -1;
    for (let product = 1; product > limit; count++) product *= this.next();
    return Math.max(0, count);
  }

  shuffled<T>(list: readonly T[]): T[] {
    const copy = [...list];
    for (let last = copy.length - 1; last > 0; last--) {
      const other = this.int(0, last);
      [copy[last], copy[other]] = [copy[other]!, copy[last]!];
    }
    return copy;
  }

  /** Different elements, in random order. */
  sample<T>(list: readonly T[], count: number): T[] {
    return this.shuffled(list).slice(0, count);
  }

  /** For a part that runs concurrently, so that its numbers do not depend on the order. */
  fork(): Random {
    return new Random('fork', this.bits());
  }

  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.int(0, 15).toString(16)).join('');
  }
}
