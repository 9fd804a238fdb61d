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
    const { name, key, sums } = this.#table;
    // In the order of the keys, so that concurrent writers of the same rows cannot deadlock.
    const ordered = [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    const signed = ordered.map((row) => (by === 1 ? row : { ...row, sums: row.sums.map((sum) => 0 - sum) }));
    const rows = signed.filter((row) => row.sums.some((sum) => sum !== 0));
    const added = sums.map((column) => `${column} = ${name}.${column} + cast(excluded.${column} as bigint)`);
    return [
      ...insertAll(
        `insert into ${name} (${[...key, ...sums].join(', ')}) values`,
        rows.map((row) => [...row.key, ...row.sums]),
        `on conflict (${key.join(', ')}) do update set ${added.join(', ')}`,
      ),
      ...deletions(
        this.#table,
        rows.filter((row) => row.sums.some((sum) => sum < 0)),
      ),
    ];
  }
}

/** One statement for the rows that differ only in the last column of their keys. */
function deletions({ name, key, empty }: SumTable, rows: readonly Changed[]): Sql[] {
  const columns = key.map(identifier);
  const groups = Map.groupBy(rows, (row) => row.key.slice(0, -1).join('\n'));
  return [...groups.values()].map((some) => {
    const same = columns.slice(0, -1).map((column, place) => sql`${column} = ${some[0]!.key[place]!}`);
    const isAmong = sql`${columns.at(-1)!} in (${list(some.map((row) => row.key.at(-1)!))})`;
    return sql`delete from ${identifier(name)} where ${join([...same, isAmong], ' and ')} and ${identifier(empty)} <= 0`;
  });
}
