import { type Queryable, safeNumber } from '#db/db.ts';
import { identifier, insertAll, join, type Sql, sql, withRows } from '#db/sql.ts';
import { countersOf, type Group, GROUP_NAMES, type StatCounter } from './statistics-groups.ts';

/** Counts by the name of the counter; absent counters are zero. */
export type Counts = Partial<Record<StatCounter, number>>;

/** The counters of one player by group. */
export type Stats = Record<Group, Record<string, number>>;

/** Sums in the order of the group's counters. */
export type Sums = number[];

export const toSums = (group: Group, counts: Counts): Sums => countersOf(group).map((counter) => counts[counter] ?? 0);

/** A counter of a player, summed over all groups. */
export const counterTotal = (stats: Stats, counter: StatCounter): number =>
  safeNumber(GROUP_NAMES.reduce((total, group) => total + (stats[group][counter] ?? 0), 0));

type Row = readonly number[];

const UPSERT = 'on conflict (player_key) do update set name_seen = excluded.name_seen';

const UPSERTS = Object.fromEntries(GROUP_NAMES.map((group) => [group, upsertText(group)])) as Record<
  Group,
  ReturnType<typeof upsertText>
>;

/** The columns of a group's counters in `player_stats`, in the order of the counters. */
export function groupColumns(group: Group): string[] {
  return countersOf(group).map((counter) => `${group}_${counter}`);
}

const ALL_COLUMNS = join(GROUP_NAMES.flatMap(groupColumns).map(identifier));

/** The counters of a player, all zero for a player without statistics. */
export async function statsOf(db: Queryable, playerKey: number): Promise<Stats> {
  const row = (await db.tuple(sql`select ${ALL_COLUMNS} from player_stats where player_key = ${playerKey}`)) ?? [];
  const stats = {} as Stats;
  let place = 0;
  for (const group of GROUP_NAMES) {
    const counts: Record<string, number> = (stats[group] = {});
    for (const counter of countersOf(group)) counts[counter] = (row[place++] as number | undefined) ?? 0;
  }
  return stats;
}

/** The parts of the statement that adds to the counters of one group, for `withRows`. */
function upsertText(group: Group) {
  const counters = groupColumns(group);
  const columns = [...counters, 'name_seen', 'player_key'];
  // node:sqlite binds numbers as floating point, in which sums beyond 2^53 would lose their last digits.
  const sums = counters.map((one) => `${one} = player_stats.${one} + cast(excluded.${one} as bigint)`);
  return {
    columns: columns.length,
    head: `insert into player_stats (${columns.join(', ')}) values`,
    tail: `${UPSERT}, ${sums.join(', ')}`,
  };
}

/**
 * The statements that add to the counters of a group, also for players without a row.
 * @param rows the sums in the order of the group's counters, then `name_seen` and the player's key
 */
export function additions(group: Group, rows: readonly Row[]): Sql[] {
  const { head, tail, columns } = UPSERTS[group];
  const additions = withRows(head, columns, rows.flat(), tail);
  return group === 'teampvp' ? [...additions, ...rankChanges(rows.map((row) => row.at(-1)!))] : additions;
}

/** The statements that request a new count of players; for the transaction that changes their counters. */
export function rankChanges(players: readonly number[]): Sql[] {
  const rows = players.map((key) => [key]);
  return insertAll('insert into rank_changes (player_key) values', rows, 'on conflict (player_key) do nothing');
}

/** An addition to a player's counters of one group. */
export interface Added {
  group: Group;
  sums: Sums;
}

/**
 * The statements that update only `name_seen`.
 * @param rows `name_seen` (epoch milliseconds) and the player's key
 */
export function observations(rows: readonly Row[]): Sql[] {
  return insertAll('insert into player_stats (name_seen, player_key) values', rows, UPSERT);
}

/** A player's power and faction by the newest report; power 0 and no faction if there is none. */
export interface FactionStanding {
  power: number;
  faction: string;
  faction_id: string;
  faction_role: string;
}

export async function readStanding(db: Queryable, playerKey: number): Promise<FactionStanding> {
  const row = await db.get<FactionStanding>(sql`
    select power, faction, faction_id, faction_role from faction_reports
    where player_key = ${playerKey} order by time desc, ledger_key desc limit 1`);
  return row ?? { power: 0, faction: '', faction_id: '', faction_role: '' };
}
