import type { Queryable } from '#db/db.ts';
import { insertAll, type Sql, sql } from '#db/sql.ts';

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

const GROUP_OF_MODE: Record<string, Group> = {
  ctw: 'ctw',
  cp: 'cp',
  koth: 'cp',
  dtc: 'objective',
  dtm: 'objective',
  ctf: 'objective',
  bowspleef: 'bowspleef',
  tntrun: 'tntrun',
  paintball: 'paintball',
  splatt: 'splatt',
};

/** The group that matches of a gamemode feed; every team mode without a group of its own is teampvp. */
export function groupOf(gamemode: string): Group {
  return GROUP_OF_MODE[gamemode.toLowerCase()] ?? 'teampvp';
}

/** Counts by counter; what is absent is zero. */
export type Counts = Partial<Record<string, number>>;

/** The counters of one player by group, all zero for a player without statistics. */
export type Stats = Record<Group, Record<string, number>>;

export async function statsOf(db: Queryable, playerKey: number): Promise<Stats> {
  const row = await db.get<Record<string, number>>(sql`select * from player_stats where player_key = ${playerKey}`);
  const entries = GROUP_NAMES.map((group) => {
    const counters: readonly string[] = GROUPS[group];
    return [group, Object.fromEntries(counters.map((counter) => [counter, row?.[`${group}_${counter}`] ?? 0]))];
  });
  return Object.fromEntries(entries) as Stats;
}

/** Sums in the order of `GROUPS[group]`. */
export type Sums = number[];

export const noSums = (group: Group): Sums => GROUPS[group].map(() => 0);

/** Adds counts to sums; with -1 takes them out again. */
export function addCounts(sums: Sums, group: Group, counts: Counts, by: 1 | -1 = 1): void {
  const counters = GROUPS[group];
  for (let place = 0; place < counters.length; place++) sums[place]! += by * (counts[counters[place]!] ?? 0);
}

const MOVE_ON =
  'on conflict (player_key) do update set name_seen = excluded.name_seen, last_match = excluded.last_match';

const HEADS = Object.fromEntries(GROUP_NAMES.map((group) => [group, headOf(group)])) as Record<Group, string>;
const TAILS = Object.fromEntries(GROUP_NAMES.map((group) => [group, tailOf(group)])) as Record<Group, string>;

function headOf(group: Group): string {
  const columns = GROUPS[group].map((counter) => `${group}_${counter}`);
  return `insert into player_stats (player_key, name_seen, last_match, ${columns.join(', ')}) values`;
}

function tailOf(group: Group): string {
  const columns = GROUPS[group].map((counter) => `${group}_${counter}`);
  // SQLite is given numbers as floating ones, with which sums beyond 2^53 would lose what stands last.
  const sums = columns.map((column) => `${column} = player_stats.${column} + cast(excluded.${column} as bigint)`);
  return `${MOVE_ON}, ${sums.join(', ')}`;
}

type Rows = readonly (readonly (number | null)[])[];

/** The statements that add sums to counters; a row is what `sightings` takes, then the sums. */
export function additions(group: Group, rows: Rows): Sql[] {
  return insertAll(HEADS[group], rows, TAILS[group]);
}

/** Rows of a player's key, when the present name was last seen, and the newest match. */
export function sightings(rows: Rows): Sql[] {
  return insertAll('insert into player_stats (player_key, name_seen, last_match) values', rows, MOVE_ON);
}
