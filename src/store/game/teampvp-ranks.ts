import { setImmediate } from 'node:timers/promises';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { Stats } from './player-stats.ts';

/** The counters of the group `teampvp` by which players are ranked, in the order of their columns below. */
export const RANKED = ['kill', 'win', 'ratio', 'objective', 'time'] as const;
export type Ranked = (typeof RANKED)[number];

/** Rows of one read, and values of one sorting step: each takes a few milliseconds, and other requests run in between. */
const PAGE_SIZE = 1_000;
const RUN_SIZE = 20_000;

/** A player's kills per death; the kills of a player without deaths. */
export function killDeathRatio({ kill = 0, death = 0 }: Record<string, number>): number {
  return death === 0 ? kill : kill / death;
}

/**
 * The ranks of all players in `teampvp`, as of the last count. A count reads the counters of all players, so it runs in the
 * background and in portions; a request only searches the sorted values in memory (8 bytes for each player and rank).
 */
export class TeampvpRanks {
  readonly #db: Queryable;
  /** The values of all players who have played, ascending. */
  #sorted: Record<Ranked, Float64Array> | undefined;
  #counting: Promise<void> | undefined;
  #closed = false;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Counts again. A call during a count waits for that one. */
  count(): Promise<void> {
    return (this.#counting ??= this.#count().finally(() => (this.#counting = undefined)));
  }

  /**
   * A player's ranks: one more than the number of players with a higher value. All are 0 for a player without a match.
   * Waits for the first count, which begins at the start of the process.
   */
  async of({ teampvp }: Pick<Stats, 'teampvp'>): Promise<Record<Ranked, number>> {
    if (this.#sorted === undefined) await this.count();
    const sorted = this.#sorted;
    const values = teampvp['play'] === 0 || sorted === undefined ? undefined : valuesOf(teampvp);
    return Object.fromEntries(
      RANKED.map((name, place) => [name, values === undefined ? 0 : rankIn(sorted![name], values[place]!)]),
    ) as Record<Ranked, number>;
  }

  /** Ends a running count early and waits for it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#counting?.catch(() => undefined);
  }

  async #count(): Promise<void> {
    const columns: number[][] = RANKED.map(() => []);
    for await (const page of pagesOf(this.#db)) {
      if (this.#closed) return;
      for (const values of page) values.forEach((value, place) => columns[place]!.push(value));
    }
    const sorted: [Ranked, Float64Array][] = [];
    for (const [place, name] of RANKED.entries()) sorted.push([name, await sortedOf(columns[place]!)]);
    this.#sorted = Object.fromEntries(sorted) as Record<Ranked, Float64Array>;
  }
}

type StatsTuple = [
  player: number,
  play: number,
  kill: number,
  death: number,
  win: number,
  objective: number,
  time: number,
];

/** The values of all players who have played, page by page in the order of their keys. */
async function* pagesOf(db: Queryable): AsyncGenerator<number[][]> {
  for (let [last, more] = [-1, true]; more; await setImmediate()) {
    const rows = (await db.tuples(sql`
      select player_key, teampvp_play, teampvp_kill, teampvp_death, teampvp_win, teampvp_objective, teampvp_time
      from player_stats where player_key > ${last} order by player_key limit ${PAGE_SIZE}`)) as StatsTuple[];
    yield rows
      .filter(([, play]) => play > 0)
      .map(([, , kill, death, win, objective, time]) => valuesOf({ kill, death, win, objective, time }));
    more = rows.length === PAGE_SIZE;
    last = rows.at(-1)?.[0] ?? last;
  }
}

/** The values in the order of `RANKED`. */
function valuesOf(counters: Record<string, number>): number[] {
  const { kill = 0, win = 0, objective = 0, time = 0 } = counters;
  return [kill, win, killDeathRatio(counters), objective, time];
}

/** Sorts in short runs and merges these, with a turn of the event loop between the steps. */
async function sortedOf(values: number[]): Promise<Float64Array> {
  let from = Float64Array.from(values);
  let to = new Float64Array(from.length);
  for (let start = 0; start < from.length; start += RUN_SIZE) {
    from.subarray(start, start + RUN_SIZE).sort();
    await setImmediate();
  }
  for (let width = RUN_SIZE; width < from.length; width *= 2) {
    for (let start = 0; start < from.length; start += 2 * width) await mergeRuns(from, to, start, width);
    [from, to] = [to, from];
  }
  return from;
}

/** Merges two neighbouring sorted runs of `width` values each. */
async function mergeRuns(from: Float64Array, to: Float64Array, start: number, width: number): Promise<void> {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(start + 2 * width, from.length);
  let [left, right] = [start, middle];
  for (let place = start; place < end; place++) {
    const takesLeft = right >= end || (left < middle && from[left]! <= from[right]!);
    to[place] = takesLeft ? from[left++]! : from[right++]!;
    if ((place - start) % RUN_SIZE === RUN_SIZE - 1) await setImmediate();
  }
}

/** One more than the number of greater values; `values` are ascending. */
function rankIn(values: Float64Array, own: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! <= own) low = middle + 1;
    else high = middle;
  }
  return values.length - low + 1;
}
