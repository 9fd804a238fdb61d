import type { Queryable } from '#db/db.ts';
import { insertAll, insertRows, type Sql, sql, statement } from '#db/sql.ts';

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

export const sumsOf = (group: Group, counts: Counts): Sums => GROUPS[group].map((counter) => counts[counter] ?? 0);

type Row = readonly (number | null)[];

/** What is behind the sums in a row. */
const MOVED = ['name_seen', 'last_match'];
const MOVE_ON = `on conflict (player_key) do update set ${MOVED.map((one) => `${one} = excluded.${one}`).join(', ')}`;

interface Texts {
  columns: number;
  head: string;
  tail: string;
  update: string[];
}

const TEXTS = Object.fromEntries(GROUP_NAMES.map((group) => [group, textsOf(group)])) as Record<Group, Texts>;

function textsOf(group: Group): Texts {
  const counters = GROUPS[group].map((counter) => `${group}_${counter}`);
  const columns = [...counters, ...MOVED, 'player_key'];
  // SQLite is given numbers as floating ones, with which sums beyond 2^53 would lose what stands last.
  const sums = counters.map((one) => `${one} = player_stats.${one} + cast(excluded.${one} as bigint)`);
  const added = counters.map((one) => `${one} = ${one} + cast(? as bigint)`);
  const moved = MOVED.map((one) => `${one} = ?`);
  return {
    columns: columns.length,
    head: `insert into player_stats (${columns.join(', ')}) values`,
    tail: `${MOVE_ON}, ${sums.join(', ')}`,
    update: `update player_stats set ${[...added, ...moved].join(', ')} where player_key = ?`.split('?'),
  };
}

/**
 * The statements that add sums to counters; a row holds the sums, then what `sightings` takes.
 * @param apart whether each row gets a statement of its own; there are counters of all these players already
 */
export function additions(group: Group, rows: readonly Row[], apart: boolean): Sql[] {
  const { head, tail, columns, update } = TEXTS[group];
  return apart ? rows.map((row) => statement(update, row)) : insertRows(head, columns, rows.flat(), tail);
}

/** Rows of when the present name was last seen, the newest match, and a player's key. */
export function sightings(rows: readonly Row[]): Sql[] {
  return insertAll(`insert into player_stats (${MOVED.join(', ')}, player_key) values`, rows, MOVE_ON);
}
