import { portionsOf } from '#base/portions.ts';
import type { Queryable } from '#db/db.ts';
import { insertAll, Sql, sql, withRows } from '#db/sql.ts';

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
}

const TEXTS = Object.fromEntries(GROUP_NAMES.map((group) => [group, textsOf(group)])) as Record<Group, Texts>;

function columnsOf(group: Group): string[] {
  return GROUPS[group].map((counter) => `${group}_${counter}`);
}

function textsOf(group: Group): Texts {
  const counters = columnsOf(group);
  const columns = [...counters, ...MOVED, 'player_key'];
  // SQLite is given numbers as floating ones, with which sums beyond 2^53 would lose what stands last.
  const sums = counters.map((one) => `${one} = player_stats.${one} + cast(excluded.${one} as bigint)`);
  return {
    columns: columns.length,
    head: `insert into player_stats (${columns.join(', ')}) values`,
    tail: `${MOVE_ON}, ${sums.join(', ')}`,
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

/** Groups of one statement: all there are would make more different ones than are worth being kept. */
const GROUPS_AT_ONCE = 3;

/**
 * The statements that add to the counters of a player who has some. The row is wide and written anew by each of them: the
 * groups go together.
 * @param moved what `sightings` takes
 */
export function additionsTo(added: readonly Added[], moved: Row): Sql[] {
  if (added.length === 1) return [new Sql(updateOf([added[0]!.group]), [...added[0]!.sums, ...moved])];
  const sorted = added.toSorted((a, b) => (a.group < b.group ? -1 : 1));
  return [...portionsOf(sorted, GROUPS_AT_ONCE)].map(
    (some) => new Sql(updateOf(some.map(({ group }) => group)), [...some.flatMap(({ sums }) => sums), ...moved]),
  );
}

const updates = new Map<string, readonly string[]>();

function updateOf(groups: readonly Group[]): readonly string[] {
  const name = groups.join();
  let strings = updates.get(name);
  if (strings === undefined) {
    const added = groups.flatMap(columnsOf).map((one) => `${one} = ${one} + cast(? as bigint)`);
    const moved = MOVED.map((one) => `${one} = ?`);
    strings = `update player_stats set ${[...added, ...moved].join(', ')} where player_key = ?`.split('?');
    updates.set(name, strings);
  }
  return strings;
}

/** Rows of when the present name was last seen, the newest match, and a player's key. */
export function sightings(rows: readonly Row[]): Sql[] {
  return insertAll(`insert into player_stats (${MOVED.join(', ')}, player_key) values`, rows, MOVE_ON);
}
