import type { Queryable } from '#db/db.ts';
import { identifier, insertAll, join, list, type Sql, sql, type Value } from '#db/sql.ts';

/** A table of sums: the columns of its key, those that are summed, and the one of them that an empty row has 0 of. */
export interface SumTable {
  name: string;
  key: readonly string[];
  sums: readonly string[];
  empty: string;
}

/** What is added to the sums of one row. */
export interface ChangedRow {
  key: readonly Value[];
  sums: number[];
}

/** Accumulates changes of sums in memory, to write one row for each key. */
export class SumChanges<Key extends readonly Value[]> {
  readonly #table: SumTable;
  readonly #rows = new Map<string, ChangedRow>();

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
    return sumStatements(this.#table, this.#signed(by));
  }

  /**
   * Adds the changes, or subtracts them, as `statements` does.
   * @param columns some of the sums
   * @param changed is called for each row, with the change and the new value of these columns
   */
  async write(
    tx: Queryable,
    by: 1 | -1,
    columns: readonly string[],
    changed: (key: Key, added: readonly number[], after: readonly number[]) => void,
  ): Promise<void> {
    const { key, sums } = this.#table;
    const places = columns.map((column) => sums.indexOf(column));
    const rows = this.#signed(by);
    for (const upsert of upserts(this.#table, rows, `returning ${[...key, ...columns.map(safely)].join(', ')}`))
      for (const row of await tx.tuples(upsert)) {
        const after = row.splice(key.length) as number[];
        const { sums: added } = this.#rows.get(row.join('\n'))!;
        changed(row as unknown as Key, places.map((place) => by * added[place]!), after); // prettier-ignore
      }
    await tx.runAll(deletions(this.#table, rows));
  }

  /** The changed rows in the order of their keys, so that concurrent writers of the same rows cannot deadlock. */
  #signed(by: 1 | -1): ChangedRow[] {
    const ordered = [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    const signed = ordered.map((row) => (by === 1 ? row : { ...row, sums: row.sums.map((sum) => 0 - sum) }));
    return signed.filter((row) => row.sums.some((sum) => sum !== 0));
  }
}

/** The statements that add to the sums of rows, and delete those that become empty. */
export const sumStatements = (table: SumTable, rows: readonly ChangedRow[]): Sql[] => [
  ...upserts(table, rows),
  ...deletions(table, rows),
];

function upserts({ name, key, sums }: SumTable, rows: readonly ChangedRow[], returning = ''): Sql[] {
  const added = sums.map((column) => `${column} = ${name}.${column} + cast(excluded.${column} as bigint)`);
  return insertAll(
    `insert into ${name} (${[...key, ...sums].join(', ')}) values`,
    rows.map((row) => [...row.key, ...row.sums]),
    `on conflict (${key.join(', ')}) do update set ${added.join(', ')} ${returning}`,
  );
}

/** The driver of SQLite refuses to return a larger number. */
const safely = (column: string): string =>
  `case when ${column} > ${Number.MAX_SAFE_INTEGER} then ${Number.MAX_SAFE_INTEGER} else ${column} end`;

/** One statement for the rows that differ only in the last column of their keys. */
function deletions({ name, key, empty }: SumTable, rows: readonly ChangedRow[]): Sql[] {
  const columns = key.map(identifier);
  const decreased = rows.filter((row) => row.sums.some((sum) => sum < 0));
  const groups = Map.groupBy(decreased, (row) => row.key.slice(0, -1).join('\n'));
  return [...groups.values()].map((some) => {
    const same = columns.slice(0, -1).map((column, place) => sql`${column} = ${some[0]!.key[place]!}`);
    const isAmong = sql`${columns.at(-1)!} in (${list(some.map((row) => row.key.at(-1)!))})`;
    return sql`delete from ${identifier(name)} where ${join([...same, isAmong], ' and ')} and ${identifier(empty)} <= 0`;
  });
}
