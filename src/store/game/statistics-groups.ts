/**
 * The statistics of players: the counters, the groups of gamemodes for which they are summed, and the gamemodes. The
 * data API, leaderboards, pages, texts, the readers of PGM's maps and of its status, the presets of counters and the
 * Java plugins follow from these tables. The columns of `player_stats` do not: they need a migration.
 */

/** A number for any match, plus a rate of the length of the match. */
export interface Most {
  base: number;
  perSecond: number;
}

/**
 * The game has 20 ticks a second, and who dies has to return before the next death. A hundred kills are possible in a moment,
 * by TNT in a crowd.
 */
const FIGHTS = { base: 100, perSecond: 2 };
const SHOTS = { base: 1_000, perSecond: 40 };
/** Clocks differ, and some games count from the lobby on. */
const TIME = { base: 600, perSecond: 1 };
const GOALS = { base: 100, perSecond: 1 };

/** An amount that matches and reports of statistics add to a player. Its column in a group is `<group>_<counter>`. */
export interface CounterKind {
  /** The member of a group in the data API. */
  wire: string;
  unit: 'count' | 'points' | 'seconds';
  /** The part of a match that has the amount: a player's own members, the result, the kills or the objectives. */
  from: 'player' | 'result' | 'kills' | 'objectives';
  /**
   * `total`: summed over all groups. `boards`: a column of leaderboards. `page`: written with its name on the page of a
   * player, because only some groups have it.
   */
  in: readonly ('total' | 'boards' | 'page')[];
  /** The largest amount of one player in a match that a game gives; null for those without a separate bound. */
  most: Most | null;
  /** The name among the placeholders of the Bukkit plugin; null: none. */
  placeholder: string | null;
}

/** In the order in which the data API describes them. */
export const COUNTERS = {
  kill: {
    wire: 'kill_count',
    unit: 'count',
    from: 'player',
    in: ['total', 'boards'],
    most: FIGHTS,
    placeholder: 'kills',
  },
  death: {
    wire: 'death_count',
    unit: 'count',
    from: 'player',
    in: ['total', 'boards'],
    most: FIGHTS,
    placeholder: 'deaths',
  },
  /** Deaths without a killer, which `death` contains. */
  envdeath: { wire: 'envdeath_count', unit: 'count', from: 'kills', in: ['total'], most: null, placeholder: null },
  win: { wire: 'win_count', unit: 'count', from: 'result', in: ['total', 'boards'], most: null, placeholder: 'wins' },
  lose: { wire: 'lose_count', unit: 'count', from: 'result', in: ['total'], most: null, placeholder: 'losses' },
  play: {
    wire: 'play_count',
    unit: 'count',
    from: 'result',
    in: ['total', 'boards'],
    most: null,
    placeholder: 'matches',
  },
  time: {
    wire: 'time_played',
    unit: 'seconds',
    from: 'player',
    in: ['total', 'boards'],
    most: TIME,
    placeholder: 'playtime_seconds',
  },
  shot: { wire: 'shot_count', unit: 'count', from: 'player', in: ['total', 'page'], most: SHOTS, placeholder: 'shots' },
  hit: { wire: 'hit_count', unit: 'count', from: 'player', in: ['total', 'page'], most: SHOTS, placeholder: 'hits' },
  paint: {
    wire: 'paint_count',
    unit: 'count',
    from: 'player',
    in: ['page'],
    most: { base: 10_000, perSecond: 1_000 },
    placeholder: 'paint',
  },
  wool: { wire: 'wool_placed', unit: 'count', from: 'objectives', in: ['page'], most: GOALS, placeholder: 'wools' },
  core: { wire: 'core_leaked', unit: 'count', from: 'objectives', in: ['page'], most: GOALS, placeholder: 'cores' },
  destroyable: {
    wire: 'destroyable_destroyed',
    unit: 'count',
    from: 'objectives',
    in: ['page'],
    most: GOALS,
    placeholder: 'monuments',
  },
  flag: { wire: 'flag_captured', unit: 'count', from: 'objectives', in: ['page'], most: GOALS, placeholder: 'flags' },
  score: {
    wire: 'score',
    unit: 'points',
    from: 'player',
    in: ['page'],
    most: { base: 10_000_000, perSecond: 0 },
    placeholder: 'score',
  },
  objective: {
    wire: 'objective_completed',
    unit: 'count',
    from: 'objectives',
    in: ['page'],
    most: GOALS,
    placeholder: 'objectives',
  },
} as const satisfies Record<string, CounterKind>;

export type StatCounter = keyof typeof COUNTERS;
export const COUNTER_NAMES = Object.keys(COUNTERS) as StatCounter[];

type CountersIn<Place extends CounterKind['in'][number]> = {
  [C in StatCounter]: Place extends (typeof COUNTERS)[C]['in'][number] ? C : never;
}[StatCounter];

/** The counters that are part of `total`, of the leaderboards, or of the page of a player. */
export function countersIn<Place extends CounterKind['in'][number]>(place: Place): CountersIn<Place>[] {
  const isIn = ({ in: places }: CounterKind): boolean => places.includes(place);
  return COUNTER_NAMES.filter((name): name is CountersIn<Place> => isIn(COUNTERS[name]));
}

export type BoardCounter = CountersIn<'boards'>;
export type PageCounter = CountersIn<'page'>;

/** The counters of `total`, times last. */
export const TOTAL_COUNTERS = countersIn('total').sort((a, b) => timesLast(a) - timesLast(b));

function timesLast(counter: StatCounter): number {
  return COUNTERS[counter].unit === 'seconds' ? 1 : 0;
}

/** Gamemodes whose counters are summed together; a field group of the data API. */
export interface GroupKind {
  /** In the order of its members in responses. Each is a column of `player_stats`. */
  counters: readonly StatCounter[];
  /** Whether it is fed by matches, and therefore has leaderboards. */
  matches: boolean;
  /** Whether PGM has its gamemodes, and therefore counts what `PGM_COUNTERS` declares. */
  pgm: boolean;
}

/** In the order in which pages list them. */
export const GROUPS = {
  bowspleef: { counters: ['win', 'lose', 'play', 'time'], matches: true, pgm: false },
  tntrun: { counters: ['win', 'lose', 'play', 'time'], matches: true, pgm: false },
  cp: { counters: ['kill', 'death', 'win', 'lose', 'play', 'time', 'envdeath'], matches: true, pgm: true },
  ctw: { counters: ['kill', 'death', 'win', 'lose', 'play', 'time', 'wool', 'envdeath'], matches: true, pgm: true },
  objective: {
    counters: ['kill', 'death', 'win', 'lose', 'play', 'time', 'core', 'destroyable', 'flag', 'envdeath'],
    matches: true,
    pgm: true,
  },
  paintball: { counters: ['kill', 'death', 'win', 'lose', 'play', 'time', 'shot', 'hit'], matches: true, pgm: false },
  splatt: {
    counters: ['kill', 'death', 'win', 'lose', 'play', 'time', 'shot', 'hit', 'paint'],
    matches: true,
    pgm: false,
  },
  /** Team modes without their own group. */
  teampvp: {
    counters: ['kill', 'death', 'win', 'lose', 'play', 'time', 'score', 'objective', 'envdeath'],
    matches: true,
    pgm: true,
  },
  /** Fed by `player.statistics`. */
  factions: { counters: ['kill', 'death', 'time'], matches: false, pgm: false },
} as const satisfies Record<string, GroupKind>;

export type Group = keyof typeof GROUPS;
export const GROUP_NAMES = Object.keys(GROUPS) as Group[];

export type CounterOf<G extends Group> = (typeof GROUPS)[G]['counters'][number];

export const countersOf = (group: Group): readonly StatCounter[] => GROUPS[group].counters;

/** The groups with a counter. */
export const groupsWith = (counter: StatCounter): Group[] =>
  GROUP_NAMES.filter((group) => countersOf(group).includes(counter));

/** A group for which matches count. */
export type MatchGroup = { [G in Group]: (typeof GROUPS)[G]['matches'] extends true ? G : never }[Group];
export const MATCH_GROUPS = GROUP_NAMES.filter((group): group is MatchGroup => GROUPS[group].matches);

export const PGM_GROUPS = GROUP_NAMES.filter((group) => GROUPS[group].pgm);

/** The group of gamemodes that are not in the table. */
const DEFAULT_GROUP = 'teampvp' satisfies MatchGroup;

export interface GamemodeKind {
  /** The group for which its matches count. */
  group: MatchGroup;
  /** The id of PGM's tag of its maps, which `cp` and `koth` share; null: PGM has none. */
  tag: string | null;
  /** The children of `<map>` in PGM's map.xml that make it a gamemode of the map. Without any, a rule decides. */
  elements: readonly string[];
  /** Elements of which one must be inside, possibly in nested groups; without any, the child alone decides. */
  holds: readonly string[];
}

/** In the order in which pages list them and PGM derives them: goals first. */
export const GAMEMODES = {
  ctw: { group: 'ctw', tag: 'wool', elements: ['wools'], holds: ['wool'] },
  dtc: { group: 'objective', tag: 'core', elements: ['cores'], holds: ['core'] },
  dtm: { group: 'objective', tag: 'monument', elements: ['destroyables'], holds: ['destroyable'] },
  ctf: { group: 'objective', tag: 'flag', elements: ['flags'], holds: ['flag'] },
  cp: {
    group: 'cp',
    tag: 'controlpoint',
    elements: ['control-points', 'controlpoints'],
    holds: ['control-point', 'controlpoint'],
  },
  koth: { group: 'cp', tag: 'controlpoint', elements: ['king'], holds: ['hill'] },
  payload: { group: 'teampvp', tag: 'payload', elements: ['payloads'], holds: ['payload'] },
  tdm: { group: 'teampvp', tag: 'deathmatch', elements: ['score'], holds: [] },
  blitz: { group: 'teampvp', tag: 'blitz', elements: ['blitz'], holds: [] },
  ffa: { group: 'teampvp', tag: 'ffa', elements: [], holds: [] },
  rage: { group: 'teampvp', tag: 'rage', elements: ['rage'], holds: [] },
  bowspleef: { group: 'bowspleef', tag: null, elements: ['bowspleef'], holds: [] },
  tntrun: { group: 'tntrun', tag: null, elements: ['tntrun'], holds: [] },
  paintball: { group: 'paintball', tag: null, elements: ['paintball'], holds: [] },
  splatt: { group: 'splatt', tag: null, elements: ['splatt'], holds: [] },
} as const satisfies Record<string, GamemodeKind>;

export type Gamemode = keyof typeof GAMEMODES;
export const GAMEMODE_NAMES = Object.keys(GAMEMODES) as Gamemode[];

/** PGM's gamemodes with their own group. If a map has several gamemodes, one of these is its matches' gamemode. */
export const PGM_GAMEMODES_WITH_GROUP = GAMEMODE_NAMES.filter((mode) => {
  const { group } = GAMEMODES[mode];
  return GROUPS[group].pgm && group !== DEFAULT_GROUP;
});

const GROUP_OF_MODE: ReadonlyMap<string, MatchGroup> = new Map(
  GAMEMODE_NAMES.map((mode) => [mode, GAMEMODES[mode].group]),
);

/** The group for which matches of a gamemode count. */
export function groupOf(gamemode: string): MatchGroup {
  return GROUP_OF_MODE.get(gamemode.toLowerCase()) ?? DEFAULT_GROUP;
}
