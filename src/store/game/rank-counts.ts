import type { Queryable } from '#db/db.ts';
import { insertAll, join, type Sql, sql } from '#db/sql.ts';
import { SumChanges } from './sum-changes.ts';

/**
 * Histograms of counters, so that a rank is a sum over few rows. A bucket of level n covers 64^n values; a bucket of
 * level n + 1 contains 64 of level n. The players with a value above `v` are, on each level, those in the higher
 * buckets of the same parent: at most 63 rows a level. The first bucket of a parent is never a higher one and is not
 * stored, so that a small value needs few rows.
 */

const WIDTH = 64;
/** Enough for every integer below 2^53. */
const LEVELS = 9;

/** A player's value of a counter before and after a change; undefined if the player is not ranked. */
export interface RankChange {
  counter: string;
  from: number | undefined;
  to: number | undefined;
}

const RANK_COUNTS = {
  ...{ name: 'rank_counts', key: ['counter', 'level', 'bucket'] },
  ...{ sums: ['players'], empty: 'players' },
};

/** The statements that write the changes of players: one row for each bucket. */
export function rankStatements(changes: readonly RankChange[]): Sql[] {
  const counts = new SumChanges<[counter: string, level: number, bucket: number]>(RANK_COUNTS);
  const add = (counter: string, value: number | undefined, by: 1 | -1): void => {
    for (const [level, bucket] of value === undefined ? [] : findBuckets(value).entries())
      if (bucket % WIDTH !== 0) counts.add([counter, level, bucket], [by]);
  };
  for (const { counter, from, to } of changes) {
    add(counter, from, -1);
    add(counter, to, 1);
  }
  return counts.statements();
}

/** The bucket of a value on each level. */
function findBuckets(value: number): number[] {
  const buckets = [Math.min(Math.max(value, 0), Number.MAX_SAFE_INTEGER)];
  while (buckets.length < LEVELS) buckets.push(Math.floor(buckets.at(-1)! / WIDTH));
  return buckets;
}

interface CountedValue {
  counter: string;
  value: number;
}

/**
 * One more than the number of players with a higher value, by counter, in one statement with an index look-up per
 * level.
 */
export async function ranksAmong(db: Queryable, values: readonly CountedValue[]): Promise<Record<string, number>> {
  const higher = values.flatMap(({ counter, value }) => higherBuckets(counter, value));
  const ranks = Object.fromEntries(values.map(({ counter }) => [counter, 1]));
  if (higher.length === 0) return ranks;
  for (const [counter, players] of await db.tuples(join(higher, ' union all '))) {
    ranks[counter as string]! += Number(players ?? 0);
  }
  return ranks;
}

function higherBuckets(counter: string, value: number): Sql[] {
  return findBuckets(value).flatMap((bucket, level) => {
    const [first, last] = [bucket + 1, Math.floor(bucket / WIDTH) * WIDTH + WIDTH - 1];
    if (first > last) return [];
    return sql`
      select cast(${counter} as text), cast(sum(players) as bigint) from rank_counts
      where counter = ${counter} and level = ${level} and bucket between ${first} and ${last}`;
  });
}

/** The statements that request a new count of players; for the transaction that changes their counters. */
export function rankChanges(players: readonly number[]): Sql[] {
  const rows = players.map((key) => [key]);
  return insertAll('insert into rank_changes (player_key) values', rows, 'on conflict (player_key) do nothing');
}
