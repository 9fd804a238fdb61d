import { hash } from 'node:crypto';
import type { Value } from '../sql.ts';

const WORDS = 8;

/**
 * The number and the checksum of a table's rows: the sums of the words of their SHA-256, modulo 2^32. The sum does not
 * depend on the order of the rows, which differs between databases whose collations differ, and a changed row needs no
 * other row to be read again.
 */
export class TableDigest {
  rows = 0;
  readonly #sums = new Uint32Array(WORDS);

  /** @param row its cells in the order of the columns' names */
  add(row: readonly Value[]): void {
    this.#count(row, 1);
  }

  remove(row: readonly Value[]): void {
    this.#count(row, -1);
  }

  get checksum(): string {
    return Buffer.from(this.#sums.buffer).toString('hex');
  }

  #count(row: readonly Value[], sign: 1 | -1): void {
    const digest = hash('sha256', JSON.stringify(row.map(comparable)), 'buffer');
    for (let word = 0; word < WORDS; word++) this.#sums[word]! += sign * digest.readUInt32LE(word * 4);
    this.rows += sign;
  }
}

/** Both databases must give the same text for the same value; text, numbers and bytes must not be confused. */
function comparable(value: Value): unknown {
  if (value instanceof Uint8Array) return { bytes: hash('sha256', value, 'hex') };
  return typeof value === 'bigint' ? { integer: String(value) } : value;
}
