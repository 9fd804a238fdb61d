import type { Queryable } from '#db/db.ts';
import { identifier, insertAll, join, list, type Sql, sql, type Value } from '#db/sql.ts';

/** A table of sums: the columns of its key, those that are summed, and the one of them that an empty row has 0 of. */
export interface SumTable {
  name: string;
  key: readonly string[];
  sums: readonly string[];
  empty: string;
}

interface Changed {
  key: readonly Value[];
  sums: number[];
}

/** A row and its sums before and after a change. */
export interface ChangedSums<Key extends readonly Value[]> {
  key: Key;
  before: number[];
  after: number[];
}

/** Accumulates changes of sums in memory, to write one row for each key. */
export class SumChanges<Key extends readonly Value[]> {
  readonly #table: SumTable;
  readonly #rows = new Map<string, Changed>();

  constructor(table: SumTable) {
    this.#table = table;
  }

  add(key: Key, sums: readonly number[]): void {
    const name = key.join('\n');
    const row = this.#rows.get(name);
    if (row === undefined) this.#rows.set(name, { key, sums: [...sums] });
    else for (const [place, sum] of sums.entries()) row.sums[place]! += sum;
  }

  /** The statements that add the changes, or subtract them, and delete the rows that become empty. */
  statements(by: 1 | -1 = 1): Sql[] {
    const rows = this.#signed(by);
    return [...this.#upserts(rows), ...deletions(this.#table, rows)];
  }

  /** Adds the changes, or subtracts them, as `statements` does. @returns the changed rows */
  async write(tx: Queryable, by: 1 | -1): Promise<ChangedSums<Key>[]> {
    const { key, sums } = this.#table;
    const rows = this.#signed(by);
    const changed = new Map(rows.map((row) => [row.key.join('\n'), row]));
    const returned: ChangedSums<Key>[] = [];
    for (const upsert of this.#upserts(rows, `returning ${[...key, ...sums.map(safely)].join(', ')}`))
      for (const row of await tx.tuples(upsert)) {
        const [of, after] = [row.slice(0, key.length), row.slice(key.length) as number[]];
        const added = changed.get(of.join('\n'))!.sums;
        returned.push({ key: of as unknown as Key, before: after.map((sum, place) => sum - added[place]!), after });
      }
    await tx.runAll(deletions(this.#table, rows));
    return returned;
  }

  /** The changed rows in the order of their keys, so that concurrent writers of the same rows cannot deadlock. */
  #signed(by: 1 | -1): Changed[] {
    const ordered = [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    const signed = ordered.map((row) => (by === 1 ? row : { ...row, sums: row.sums.map((sum) => 0 - sum) }));
    return signed.filter((row) => row.sums.some((sum) => sum !== 0));
  }

  #upserts(rows: readonly Changed[], returning = ''): Sql[] {
    const { name, key, sums } = this.#table;
    const added = sums.map((column) => `${column} = ${name}.${column} + cast(excluded.${column} as bigint)`);
    return insertAll(
      `insert into ${name} (${[...key, ...sums].join(', ')}) values`,
      rows.map((row) => [...row.key, ...row.sums]),
      `on conflict (${key.join(', ')}) do update set ${added.join(', ')} ${returning}`,
    );
  }
}

/** The driver of SQLite refuses to return a larger number. */
const safely = (column: string): string =>
  `case when ${column} > ${Number.MAX_SAFE_INTEGER} then ${Number.MAX_SAFE_INTEGER} else ${column} end`;

/** One statement for the rows that differ only in the last column of their keys. */
function deletions({ name, key, empty }: SumTable, rows: readonly Changed[]): Sql[] {
  const columns = key.map(identifier);
  const decreased = rows.filter((row) => row.sums.some((sum) => sum < 0));
  const groups = Map.groupBy(decreased, (row) => row.key.slice(0, -1).join('\n'));
  return [...groups.values()].map((some) => {
    const same = columns.slice(0, -1).map((column, place) => sql`${column} = ${some[0]!.key[place]!}`);
    const isAmong = sql`${columns.at(-1)!} in (${list(some.map((row) => row.key.at(-1)!))})`;
    return sql`delete from ${identifier(name)} where ${join([...same, isAmong], ' and ')} and ${identifier(empty)} <= 0`;
  });
}
