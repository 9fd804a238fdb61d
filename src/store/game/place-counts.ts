import type { Queryable } from '#db/db.ts';
import { join, type Sql, sql } from '#db/sql.ts';
import { sumStatements } from './sum-changes.ts';

/**
 * Histograms of the values by which players are compared, so that a place is a sum over few rows, whatever the number of
 * players. A bucket of level n covers 64^n values; a bucket of level n + 1 contains 64 of level n. The players with a value
 * above `v` are, on each level, those in the higher buckets of the same parent: at most 63 rows a level. The first bucket of a
 * parent is never a higher one and is not stored, so that a small value needs few rows.
 */
const WIDTH = 64;
/** Enough for every integer below 2^53. */
const LEVELS = 9;
/** The level whose bucket 1 has all players with a value. */
const ALL = LEVELS;
/** From this level on the histograms have so few rows that one range of the index may cover several levels. */
const SPARSE = 3;

/** What is compared: the column `counter` of a leaderboard, or of the ranks in `teampvp`. */
export interface Ranking {
  /** The time bucket of a leaderboard; `TEAMPVP_RANKS` for the ranks. */
  board: number;
  mode: string;
  counter: string;
}

/** These ranks also count reports of statistics, which the leaderboards do not. Time buckets are not negative. */
export const TEAMPVP_RANKS = -1;

/** A place, from 1: one more than the number of players with a higher value. Equal ones share it. */
export interface Place {
  place: number;
  /** The number of players with a value. */
  of: number;
}

/** @returns the places of values, in their order. Negative values and 0 are none. */
export async function placesOf(db: Queryable, values: readonly (Ranking & { value: number })[]): Promise<Place[]> {
  if (values.length === 0) return [];
  const columns = values.flatMap((one) => [join(higherRanges(one), ' + '), playersIn(one, sql`= ${ALL}`, 1, 1)]);
  const sums = (await db.tuple(sql`select ${join(columns)}`)) as number[];
  return values.map((_, index) => {
    const place = 1 + sums[2 * index]!;
    // A change may be committed between the reads of the value and of its place.
    return { place, of: Math.max(place, sums[2 * index + 1]!) };
  });
}

/**
 * The ranges of buckets with higher values. On a sparse level whose first bucket has the value, the range is the same as on the
 * levels above, so that one condition covers all of them.
 */
function higherRanges({ value, ...ranking }: Ranking & { value: number }): Sql[] {
  const buckets = bucketsOf(value);
  const first = Math.max(SPARSE, buckets.findLastIndex((bucket) => bucket > 0) + 1);
  const each = buckets.slice(0, first).map((bucket, level) => {
    const end = Math.floor(bucket / WIDTH) * WIDTH + WIDTH - 1;
    return playersIn(ranking, sql`= ${level}`, bucket + 1, end);
  });
  return [...each, playersIn(ranking, sql`between ${first} and ${LEVELS - 1}`, 1, WIDTH - 1)];
}

const playersIn = ({ board, mode, counter }: Ranking, level: Sql, first: number, last: number): Sql => sql`
  coalesce((select cast(sum(players) as bigint) from place_counts where board = ${board} and mode = ${mode}
    and counter = ${counter} and level ${level} and bucket between ${first} and ${last}), 0)`;

/** The bucket of a value on each level. */
function bucketsOf(value: number): number[] {
  const buckets = [Math.min(Math.max(value, 0), Number.MAX_SAFE_INTEGER)];
  while (buckets.length < LEVELS) buckets.push(Math.floor(buckets.at(-1)! / WIDTH));
  return buckets;
}

const PLACE_COUNTS = {
  ...{ name: 'place_counts', key: ['board', 'mode', 'counter', 'level', 'bucket'] },
  ...{ sums: ['players'], empty: 'players' },
};

interface ChangedRanking extends Ranking {
  /** By level, then bucket: the change of the number of players. */
  counts: Map<number, number>[];
}

/** Accumulates changed values of players. */
export class PlaceCountChanges {
  readonly #rankings = new Map<string, ChangedRanking>();

  /** A player's value has changed. A player without a value has 0. */
  move(ranking: Ranking, from: number, to: number): void {
    if (from === to) return;
    const { counts } = this.#changesOf(ranking);
    let [before, now] = [Math.max(from, 0), Math.max(to, 0)];
    if (before > 0 !== now > 0) add(counts[ALL]!, 1, now > 0 ? 1 : -1);
    for (let level = 0; before !== now; level++) {
      if (before % WIDTH !== 0) add(counts[level]!, before, -1);
      if (now % WIDTH !== 0) add(counts[level]!, now, 1);
      [before, now] = [Math.floor(before / WIDTH), Math.floor(now / WIDTH)];
    }
  }

  #changesOf({ board, mode, counter }: Ranking): ChangedRanking {
    const name = `${board} ${mode} ${counter}`;
    let changed = this.#rankings.get(name);
    if (changed === undefined) {
      changed = { board, mode, counter, counts: Array.from({ length: ALL + 1 }, () => new Map<number, number>()) };
      this.#rankings.set(name, changed);
    }
    return changed;
  }

  statements(): Sql[] {
    const rows = [...this.#rankings.values()].flatMap(({ board, mode, counter, counts }) =>
      counts.flatMap((changes, level) =>
        [...changes]
          .filter(([, players]) => players !== 0)
          .map(([bucket, players]) => ({ key: [board, mode, counter, level, bucket], sums: [players] })),
      ),
    );
    return sumStatements(PLACE_COUNTS, rows);
  }
}

function add(counts: Map<number, number>, bucket: number, players: number): void {
  counts.set(bucket, (counts.get(bucket) ?? 0) + players);
}
