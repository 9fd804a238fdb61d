import { identifier, type Sql, sql, type Value } from '#db/sql.ts';

/** A page of keyset paging: the condition on `key`, the order and the size. */
export interface Page {
  bound: Sql;
  direction: Sql;
  limit: number;
}

/** Rows in the order of a list of their keys. Keys without a row, which was deleted since they were read, are left out. */
export function inOrderOf<Row extends { key: number }>(keys: readonly number[], rows: readonly Row[]): Row[] {
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return keys.flatMap((key) => byKey.get(key) ?? []);
}

export const pageAfter = (key: number, limit: number): Page => ({
  bound: sql`key > ${key}`,
  direction: sql`asc`,
  limit,
});
export const pageBefore = (key: number, limit: number): Page => ({
  bound: sql`key < ${key}`,
  direction: sql`desc`,
  limit,
});

/**
 * The condition after `where` that selects the rows with a value in a column, all or one page, by the index on the
 * column and `key`. The value appears twice, and the column also in `order by`. With a single value, PostgreSQL may
 * scan the primary key instead, with all newer rows of other values if the last row with this value is old.
 */
export function keysetPage(column: string, value: Value, page?: Page): Sql {
  const hasValue = sql`${identifier(column)} in (${value}, ${value})`;
  if (page === undefined) return hasValue;
  const { bound, direction, limit } = page;
  return sql`${hasValue} and ${bound} order by ${identifier(column)} ${direction}, key ${direction} limit ${limit}`;
}
