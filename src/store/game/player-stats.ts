import type { Queryable } from '#db/db.ts';
import { identifier, insertAll, join, type Sql, sql, withRows } from '#db/sql.ts';

/**
 * The counters of each mode group: columns `<group>_<counter>` of player_stats. `time` is seconds played. A match feeds
 * one group (spec decisions, "which match feeds which group"); factions comes from statistics events.
 */
export const GROUPS = {
  bowspleef: ['win', 'lose', 'play', 'time'],
  tntrun: ['win', 'lose', 'play', 'time'],
  cp: ['kill', 'death', 'win', 'lose', 'play', 'time'],
  ctw: ['kill', 'death', 'win', 'lose', 'play', 'time', 'wool'],
  objective: ['kill', 'death', 'win', 'lose', 'play', 'time', 'core', 'destroyable', 'flag'],
  paintball: ['kill', 'death', 'win', 'lose', 'play', 'time', 'shot', 'hit'],
  splatt: ['kill', 'death', 'win', 'lose', 'play', 'time', 'shot', 'hit', 'paint'],
  teampvp: ['kill', 'death', 'win', 'lose', 'play', 'time', 'score', 'objective'],
  factions: ['kill', 'death', 'time'],
} as const;

export type Group = keyof typeof GROUPS;
export const GROUP_NAMES = Object.keys(GROUPS) as Group[];

const GROUP_OF_MODE = new Map<string, Group>([
  ['ctw', 'ctw'],
  ['cp', 'cp'],
  ['koth', 'cp'],
  ['dtc', 'objective'],
  ['dtm', 'objective'],
  ['ctf', 'objective'],
  ['bowspleef', 'bowspleef'],
  ['tntrun', 'tntrun'],
  ['paintball', 'paintball'],
  ['splatt', 'splatt'],
]);

/** The group that matches of a gamemode feed; every team mode without a group of its own is teampvp. */
export function groupOf(gamemode: string): Group {
  return GROUP_OF_MODE.get(gamemode.toLowerCase()) ?? 'teampvp';
}

/** Counts by counter; what is absent is zero. */
export type Counts = Partial<Record<string, number>>;

/** The counters of one player by group, all zero for a player without statistics. */
export type Stats = Record<Group, Record<string, number>>;

/** Sums in the order of `GROUPS[group]`. */
export type Sums = number[];

export const sumsOf = (group: Group, counts: Counts): Sums => GROUPS[group].map((counter) => counts[counter] ?? 0);

type Row = readonly number[];

const UPSERT = 'on conflict (player_key) do update set name_seen = excluded.name_seen';

interface Texts {
  columns: number;
  head: string;
  tail: string;
}

const TEXTS = Object.fromEntries(GROUP_NAMES.map((group) => [group, textsOf(group)])) as Record<Group, Texts>;

/** The columns of a group's counters, in their order. */
export function columnsOf(group: Group): string[] {
  return GROUPS[group].map((counter) => `${group}_${counter}`);
}

const ALL_COLUMNS = join(GROUP_NAMES.flatMap(columnsOf).map(identifier));

/** The counters of a player, all zero where the player has none. */
export async function statsOf(db: Queryable, playerKey: number): Promise<Stats> {
  const row = (await db.tuple(sql`select ${ALL_COLUMNS} from player_stats where player_key = ${playerKey}`)) ?? [];
  const stats = {} as Stats;
  let place = 0;
  for (const group of GROUP_NAMES) {
    const counts: Record<string, number> = (stats[group] = {});
    for (const counter of GROUPS[group]) counts[counter] = (row[place++] as number | undefined) ?? 0;
  }
  return stats;
}

function textsOf(group: Group): Texts {
  const counters = columnsOf(group);
  const columns = [...counters, 'name_seen', 'player_key'];
  // SQLite is given numbers as floating ones, with which sums beyond 2^53 would lose what stands last.
  const sums = counters.map((one) => `${one} = player_stats.${one} + cast(excluded.${one} as bigint)`);
  return {
    columns: columns.length,
    head: `insert into player_stats (${columns.join(', ')}) values`,
    tail: `${UPSERT}, ${sums.join(', ')}`,
  };
}

/** The statements that add sums to counters, of players who may have none yet; behind the sums what `sightings` takes. */
export function additions(group: Group, rows: readonly Row[]): Sql[] {
  const { head, tail, columns } = TEXTS[group];
  return withRows(head, columns, rows.flat(), tail);
}

/** What is to be added to a player's counters of a group. */
export interface Added {
  group: Group;
  sums: Sums;
}

/** Rows of when the present name was last seen and a player's key. */
export function observations(rows: readonly Row[]): Sql[] {
  return insertAll('insert into player_stats (name_seen, player_key) values', rows, UPSERT);
}
