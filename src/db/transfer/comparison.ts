import { amount } from '#text/amount.ts';
import { UsageError } from '#platform/errors.ts';
import { getValue, type Queryable } from '../db.ts';
import { identifier, sql, type Value } from '../sql.ts';
import { type Digests, listDifferences, type Progress, readTableDigests, type TableDigest, toDigests } from './copy.ts';
import type { Table } from './schema.ts';

type TableDigests = Map<string, TableDigest>;

/**
 * Compares the tables of source and target of a move. Reading them takes minutes for a large network, so the source is in
 * use meanwhile: the rows that change afterwards are compared one by one, and change the checksums of their tables.
 */
export class Comparison {
  readonly #expected: TableDigests;
  readonly #found: TableDigests;

  private constructor(expected: TableDigests, found: TableDigests) {
    this.#expected = expected;
    this.#found = found;
  }

  /**
   * Reads both databases, which have the same state.
   * @throws UsageError if they differ
   */
  static async of(source: Queryable, target: Queryable, progress: Progress): Promise<Comparison> {
    const comparison = new Comparison(
      ...(await Promise.all([readTableDigests(source, progress), readTableDigests(target, progress)])),
    );
    comparison.check();
    return comparison;
  }

  /**
   * Replaces rows of the target.
   * @param before the rows that the target had
   * @param after the rows of the source, and those read back from the target
   */
  replace(table: Table, before: readonly Value[][], after: { expected: Value[][]; found: Value[][] }): void {
    for (const side of ['expected', 'found'] as const) {
      const digest = (side === 'expected' ? this.#expected : this.#found).get(table.name)!;
      for (const row of before) digest.remove(row);
      for (const row of after[side]) digest.add(row);
    }
  }

  /** @throws UsageError if a table differs */
  check(): Digests {
    const [found, expected] = [toDigests(this.#found), toDigests(this.#expected)];
    refuseDifferences(listDifferences(found, expected));
    return found;
  }

  /**
   * Compares the numbers of rows with those of both databases: the checksums have only those changes that were noted.
   * @throws UsageError if a table has another number of rows
   */
  async checkCounts(source: Queryable, target: Queryable): Promise<void> {
    for (const [name, { rows }] of this.#expected) {
      const count = sql`select count(*) from ${identifier(name)}`;
      const [inSource, inTarget] = await Promise.all([source, target].map((db) => getValue<number>(db, count)));
      if (inSource === rows && inTarget === rows) continue;
      refuseDifferences([
        `${name} has ${amount(inTarget!, 'row')}, expected ${inSource}, of which ${amount(rows, 'was', 'were')} compared`,
      ]);
    }
  }
}

function refuseDifferences(differences: readonly string[]): void {
  if (differences.length === 0) return;
  throw new UsageError(
    `The databases differ: ${differences.join('; ')}. Nothing is lost: \`scorehall move --cancel\` gives the move up, ` +
      'and the source stays in use.',
  );
}
