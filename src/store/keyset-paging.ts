import { identifier, type Sql, sql, type Value } from '#db/sql.ts';

/** A page of what belongs to one thing: of keys behind a bound, so many, the lowest or the highest first. */
export interface Page {
  bound: Sql;
  direction: Sql;
  limit: number;
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
 * What goes behind `where` to walk along an index of a column and the key: all that has the value, or a page. The value is
 * asked for twice and named in the order: where PostgreSQL knows it to be one, it may prefer the primary key, and passes
 * everything that others have brought since on its way to what belongs to one that is silent now.
 */
export function keysetPage(column: string, value: Value, page?: Page): Sql {
  const own = sql`${identifier(column)} in (${value}, ${value})`;
  if (page === undefined) return own;
  const { bound, direction, limit } = page;
  return sql`${own} and ${bound} order by ${identifier(column)} ${direction}, key ${direction} limit ${limit}`;
}
