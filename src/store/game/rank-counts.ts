import type { Queryable } from '#db/db.ts';
import { insertAll, join, list, type Sql, sql } from '#db/sql.ts';

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

/** Accumulates changes of players in memory, to write one row for each bucket. */
export class RankCounts {
  readonly #buckets = new Map<string, { place: [counter: string, level: number, bucket: number]; players: number }>();

  constructor(changes: readonly RankChange[]) {
    for (const { counter, from, to } of changes) {
      if (from === to) continue;
      if (from !== undefined) this.#add(counter, from, -1);
      if (to !== undefined) this.#add(counter, to, 1);
    }
  }

  #add(counter: string, value: number, by: 1 | -1): void {
    for (const [level, bucket] of findBuckets(value).entries()) {
      if (bucket % WIDTH === 0) continue;
      const name = `${counter} ${level} ${bucket}`;
      const existing = this.#buckets.get(name);
      if (existing === undefined) this.#buckets.set(name, { place: [counter, level, bucket], players: by });
      else existing.players += by;
    }
  }

  /** The statements that write the changes and delete empty buckets. */
  statements(): Sql[] {
    const changed = [...this.#buckets.values()].filter(({ players }) => players !== 0);
    const fewer = Map.groupBy(
      changed.filter(({ players }) => players < 0),
      ({ place: [counter, level] }) => `${counter} ${level}`,
    );
    return [
      ...insertAll(
        'insert into rank_counts (counter, level, bucket, players) values',
        changed.map(({ place, players }) => [...place, players]),
        'on conflict (counter, level, bucket) do update set players = rank_counts.players + cast(excluded.players as bigint)',
      ),
      ...[...fewer.values()].map(emptied),
    ];
  }
}

function emptied(buckets: readonly { place: [counter: string, level: number, bucket: number] }[]): Sql {
  const [counter, level] = buckets[0]!.place;
  return sql`
    delete from rank_counts where counter = ${counter} and level = ${level}
      and bucket in (${list(buckets.map(({ place }) => place[2]))}) and players <= 0`;
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
