import type { Queryable } from '#db/db.ts';
import { Sql, sql } from '#db/sql.ts';

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

/** What a match or a report adds to a player's counters, merged for a whole batch before it is written. */
export class StatsBook {
  readonly #counts = new Map<number, Map<Group, Counts>>();

  add(playerKey: number, group: Group, counts: Counts): void {
    let groups = this.#counts.get(playerKey);
    if (groups === undefined) this.#counts.set(playerKey, (groups = new Map()));
    const sums = groups.get(group) ?? {};
    for (const counter of GROUPS[group]) {
      const count = counts[counter];
      if (count !== undefined && count !== 0) sums[counter] = (sums[counter] ?? 0) + count;
    }
    groups.set(group, sums);
  }

  /** The statements that add everything; each player's row exists already. In the order of keys. */
  take(): Sql[] {
    const players = [...this.#counts].sort(([a], [b]) => a - b);
    this.#counts.clear();
    return players.flatMap(([key, groups]) => [...groups].map(([group, counts]) => addition(key, group, counts)));
  }
}

const ADDITIONS = Object.fromEntries(GROUP_NAMES.map((group) => [group, piecesOf(group)])) as Record<Group, string[]>;

function piecesOf(group: Group): string[] {
  const [first, ...others] = GROUPS[group].map((counter) => `${group}_${counter} = ${group}_${counter} + `);
  return [`update player_stats set ${first!}`, ...others.map((piece) => `, ${piece}`), ' where player_key = ', ''];
}

function addition(playerKey: number, group: Group, counts: Counts): Sql {
  return new Sql(ADDITIONS[group], [...GROUPS[group].map((counter) => counts[counter] ?? 0), playerKey]);
}
