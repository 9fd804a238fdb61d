import type { Queryable } from '#db/db.ts';
import { insertAll, list, type Sql, sql, type Value } from '#db/sql.ts';
import { type Group, GROUP_NAMES } from '../statistics-groups.ts';
import type { LeaderboardEntry } from '../leaderboards/leaderboards.ts';
import type { Named } from '../players.ts';
import { isLeftOut } from '../unranked-players.ts';
import type { Aggregate, Counter } from './counters.ts';

/** The sums and maxima of counters by player and mode, which the writer updates with each event. */

/** A group of gamemodes, or `total` for all of them together. */
export type CounterMode = Group | 'total';
export const COUNTER_MODES: readonly CounterMode[] = ['total', ...GROUP_NAMES];

/** Values by the key of the counter. */
export type CounterValues = Record<string, number>;

/** A value of `player_counters`. */
export type CounterRow = [counter: number, mode: CounterMode, player: number, value: number];

const INSERT = 'insert into player_counters (counter, mode, player_key, value) values';
const CONFLICT = 'on conflict (counter, mode, player_key) do update set value =';
// node:sqlite binds numbers as floating point, in which sums beyond 2^53 would lose their last digits.
const COMBINE: Record<Aggregate, string> = {
  sum: `${CONFLICT} player_counters.value + cast(excluded.value as bigint)`,
  max: `${CONFLICT} case when excluded.value > player_counters.value then excluded.value else player_counters.value end`,
};

/** The statements that add to sums, or raise maxima. */
export const additions = (aggregate: Aggregate, rows: readonly CounterRow[]): Sql[] =>
  insertAll(INSERT, rows, COMBINE[aggregate]);

/** The statements that subtract from sums, and delete the rows that become zero. */
export function subtractions(rows: readonly CounterRow[]): Sql[] {
  if (rows.length === 0) return [];
  const negated = rows.map(([counter, mode, player, value]): CounterRow => [counter, mode, player, -value]);
  const column = (place: 0 | 1 | 2): Sql => list([...new Set<Value>(rows.map((row) => row[place]))]);
  return [
    ...additions('sum', negated),
    sql`
      delete from player_counters where counter in (${column(0)}) and mode in (${column(1)})
        and player_key in (${column(2)}) and value = 0`,
  ];
}

export async function replaceMaxima(
  tx: Queryable,
  player: number,
  counters: readonly number[],
  rows: readonly CounterRow[],
): Promise<void> {
  await tx.runAll([
    sql`
      delete from player_counters where counter in (${list(counters)}) and mode in (${list(COUNTER_MODES)})
        and player_key = ${player}`,
    ...additions('max', rows),
  ]);
}

/** Adds the values of a merged player to those of the surviving one. */
export async function mergePlayerCounters(
  tx: Queryable,
  counters: readonly Counter[],
  from: number,
  into: number,
): Promise<void> {
  for (const aggregate of ['sum', 'max'] as const) {
    const ids = counters.filter((counter) => counter.aggregate === aggregate).map(({ id }) => id);
    if (ids.length === 0) continue;
    const rows = await valuesOfPlayers(tx, ids, [from]);
    const moved = rows.map(([counter, mode, , value]): CounterRow => [counter, mode, into, value]);
    await tx.runAll([
      ...additions(aggregate, moved),
      sql`
        delete from player_counters where counter in (${list(ids)}) and mode in (${list(COUNTER_MODES)})
          and player_key = ${from}`,
      sql`
        delete from player_counters where counter in (${list(ids)}) and mode in (${list(COUNTER_MODES)})
          and player_key = ${into} and value = 0`,
    ]);
  }
}

/** All values of some counters of some players: look-ups in the primary key. */
export async function valuesOfPlayers(
  db: Queryable,
  counters: readonly number[],
  players: readonly number[],
): Promise<CounterRow[]> {
  if (counters.length === 0 || players.length === 0) return [];
  const rows = await db.tuples(sql`
    select counter, mode, player_key, value from player_counters
    where counter in (${list(counters)}) and mode in (${list(COUNTER_MODES)}) and player_key in (${list(players)})`);
  return rows as CounterRow[];
}

/** The values of a player by mode and counter key; modes without a value are absent. */
export async function playerCounters(
  db: Queryable,
  counters: readonly Counter[],
  player: number,
): Promise<Map<CounterMode, CounterValues>> {
  const keys = new Map(counters.map(({ id, key }) => [id, key]));
  const values = new Map<CounterMode, CounterValues>();
  for (const [counter, mode, , value] of await valuesOfPlayers(db, [...keys.keys()], [player])) {
    if (value <= 0) continue;
    if (!values.has(mode)) values.set(mode, {});
    values.get(mode)![keys.get(counter)!] = value;
  }
  return values;
}

/** Deletes the next values of a deleted counter. @returns their number */
export const deleteValues = (tx: Queryable, counter: number, limit: number): Promise<number> =>
  tx.run(sql`
    delete from player_counters where counter = ${counter} and (mode, player_key) in (
      select mode, player_key from player_counters where counter = ${counter} limit ${limit})`);

export interface CounterLeader extends Named {
  key: number;
  value: number;
}

export interface CounterBoardQuery {
  counter: number;
  mode: CounterMode;
  /** The last row of the page before. */
  after?: LeaderboardEntry | undefined;
  limit: number;
}

/** One page of the board of all time of a counter, highest value first, without players who are left out. */
export async function counterLeaders(db: Queryable, query: CounterBoardQuery): Promise<CounterLeader[]> {
  const { counter, mode, after, limit } = query;
  const from = after === undefined ? sql`` : sql`and (c.value, c.player_key) < (${after.value}, ${after.key})`;
  return await db.all<CounterLeader>(sql`
    select p.key, p.uuid, p.name, c.value from player_counters c join players p on p.key = c.player_key
    where c.counter = ${counter} and c.mode = ${mode} and c.value > 0 ${from} and not ${isLeftOut(sql`p`)}
    order by c.value desc, c.player_key desc limit ${limit}`);
}
