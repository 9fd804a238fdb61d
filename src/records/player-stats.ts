import { portionsOf } from '#base/portions.ts';
import type { Queryable } from '#db/db.ts';
import { code, insertAll, join, Sql, sql, withRows } from '#db/sql.ts';

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

/** The columns of a group's counters, in their order. */
export function columnsOf(group: Group): string[] {
  return GROUPS[group].map((counter) => `${group}_${counter}`);
}

const ALL_COLUMNS = join(GROUP_NAMES.flatMap(columnsOf).map(code));

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
  if (added.length === 1) return [additionTo(added[0]!, moved)];
  const sorted = added.toSorted((a, b) => placeOf(a) - placeOf(b));
  return [...portionsOf(sorted, GROUPS_AT_ONCE)].map((some) => additionOf(some, moved));
}

const placeOf = ({ group }: Added): number => GROUP_NAMES.indexOf(group);

/** The statements by the groups that they add to, as bits. */
const together = new Map<number, readonly string[]>();

function additionOf(added: readonly Added[], moved: Row): Sql {
  const groups = added.reduce((bits, one) => bits | (1 << placeOf(one)), 0);
  let update = together.get(groups);
  if (update === undefined) together.set(groups, (update = updateOf(added.flatMap(({ group }) => columnsOf(group)))));
  return new Sql(update, [...added.flatMap(({ sums }) => sums), ...moved]);
}

/** What most matches leave at zero for most players: to add that would cost as much as to add anything else. */
const RARE = /^(win|lose|wool|core|destroyable|flag|objective|shot|hit|paint)$/;

interface Sparse {
  /** The columns, and whether they are rare. */
  counters: readonly (readonly [column: string, isRare: boolean])[];
  /** The statements by those that they leave out, as bits. */
  updates: Map<number, readonly string[]>;
}

const SPARSE = Object.fromEntries(
  GROUP_NAMES.map((group): [Group, Sparse] => {
    const counters = GROUPS[group].map((counter) => [`${group}_${counter}`, RARE.test(counter)] as const);
    return [group, { counters, updates: new Map() }];
  }),
) as Record<Group, Sparse>;

function additionTo({ group, sums }: Added, moved: Row): Sql {
  const { counters, updates } = SPARSE[group];
  const values: (number | null)[] = [];
  let without = 0;
  for (let place = 0; place < sums.length; place++) {
    if (sums[place] === 0 && counters[place]![1]) without |= 1 << place;
    else values.push(sums[place]!);
  }
  let update = updates.get(without);
  if (update === undefined) {
    const columns = counters.filter((_, place) => (without & (1 << place)) === 0).map(([column]) => column);
    updates.set(without, (update = updateOf(columns)));
  }
  values.push(...moved);
  return new Sql(update, values);
}

function updateOf(columns: readonly string[]): readonly string[] {
  const added = columns.map((one) => `${one} = ${one} + cast(? as bigint)`);
  const moved = MOVED.map((one) => `${one} = ?`);
  return `update player_stats set ${[...added, ...moved].join(', ')} where player_key = ?`.split('?');
}

/** Rows of when the present name was last seen, the newest match, and a player's key. */
export function sightings(rows: readonly Row[]): Sql[] {
  return insertAll(`insert into player_stats (${MOVED.join(', ')}, player_key) values`, rows, MOVE_ON);
}
