import type { CounterModel, CounterReport } from './counter-model.ts';
import type { Exported } from './exported.ts';
import type { Kill, Named, PlayerFacts } from './network.ts';

/** The counters of each field group of a player, as the data API names them. */
const FIGHT = ['kill_count', 'death_count', 'envdeath_count'];
const PLAY = ['win_count', 'lose_count', 'play_count', 'time_played'];
const SHOOT = ['kill_count', 'death_count', 'shot_count', 'hit_count'];
const COUNTERS: Record<string, string[]> = {
  bowspleef: PLAY,
  tntrun: PLAY,
  cp: [...FIGHT, ...PLAY],
  ctw: [...FIGHT, ...PLAY, 'wool_placed'],
  objective: [...FIGHT, ...PLAY, 'core_leaked', 'destroyable_destroyed', 'flag_captured'],
  paintball: [...SHOOT, ...PLAY],
  splatt: [...SHOOT, ...PLAY, 'paint_count'],
  teampvp: [...FIGHT, ...PLAY, 'score', 'objective_completed'],
  factions: ['kill_count', 'death_count', 'time_played'],
};
const GROUP_OF: Record<string, string> = {
  ...{ ctw: 'ctw', cp: 'cp', koth: 'cp', dtc: 'objective', dtm: 'objective', ctf: 'objective' },
  ...{ bowspleef: 'bowspleef', tntrun: 'tntrun', paintball: 'paintball', splatt: 'splatt' },
};
const COMPLETED: Record<string, string> = {
  wool: 'wool_placed',
  core: 'core_leaked',
  destroyable: 'destroyable_destroyed',
  flag: 'flag_captured',
};
/** The number of objectives of a type that the data API lists. */
const LISTED = 20;
const TOTALS = [...FIGHT, 'win_count', 'lose_count', 'play_count', 'shot_count', 'hit_count', 'time_played'];

interface Played {
  id: string;
  match: Exported['data'];
  result: string;
  player: Exported['data'];
}

interface Observation {
  name: string;
  time: number;
  order: number;
}

export const groupOf = (gamemode: string): string => GROUP_OF[gamemode] ?? 'teampvp';

/** The winning teams of a match; none for a draw. */
export function winnersOf({ win, winners = [] }: Exported['data']): string[] {
  return win === '' ? (winners as string[]) : [win, ...(winners as string[]).filter((name) => name !== win)];
}

/** The label of a UUID, which takes the place of a removed name. */
export const labelOf = (uuid: string): string => `${uuid.slice(0, 8)}-${uuid.slice(24)}`;
const LABEL = /^[0-9a-f]{8}-[0-9a-f]{12}$/;

/** One player, according to the events. */
export class PlayerModel {
  readonly uuid: string;
  readonly kills: Kill[] = [];
  readonly deaths: Kill[] = [];
  readonly #completed: Record<string, { id: string; number: number }[]> = { wool: [], core: [], destroyable: [] };
  readonly #observed: Observation[] = [];
  readonly #played: Played[] = [];
  readonly #reports: CounterReport[] = [];
  readonly #counters: CounterModel;
  readonly #groups: Record<string, Record<string, number>> = {};
  #login: { time: number; server: string } | undefined;
  #logout: number | undefined;
  #faction: { time: number; power: number; faction: string } | undefined;

  constructor(uuid: string, counters: CounterModel) {
    this.uuid = uuid;
    this.#counters = counters;
    for (const [group, counters] of Object.entries(COUNTERS)) {
      this.#groups[group] = Object.fromEntries(counters.map((counter) => [counter, 0]));
    }
  }

  /** An event of an export may know the UUID alone. */
  observe(name: string | undefined, time: number, order: number): void {
    if (name !== undefined) this.#observed.push({ name, time, order });
  }

  login(time: number, server: string): void {
    if (this.#login === undefined || this.#login.time <= time) this.#login = { time, server };
  }

  logout(time: number): void {
    this.#logout = Math.max(this.#logout ?? time, time);
  }

  report(data: Exported['data'], time: number): void {
    this.#add('factions', data as Record<string, number>);
    this.#reports.push({ group: 'factions', values: data.counters ?? {} });
    const { power = 0, faction = '' } = data;
    if (this.#faction === undefined || this.#faction.time <= time) this.#faction = { time, power, faction };
  }

  /**
   * A match of several UUIDs of the player counts once, won if one won; all other counts are their sums.
   * @param isCounted whether the match is more than listed
   */
  play(played: Played, isCounted: boolean): this {
    const earlier = this.#played.filter(({ id }) => id === played.id).map(({ result }) => result);
    this.#played.push(played);
    if (!isCounted) return this;
    const { match, result, player } = played;
    const before = earlier.includes('win') ? 'win' : earlier.at(-1);
    const present = before === 'win' ? before : result;
    const more = (counted: string): number => Number(present === counted) - Number(before === counted);
    const own = match.objectives.filter((one: Exported['data']) => one.player?.uuid === player.uuid);
    const counts: Record<string, number> = {
      ...player,
      win_count: more('win'),
      lose_count: more('lose'),
      play_count: before === undefined ? 1 : 0,
      envdeath_count: countEnvdeaths(match, player.uuid as string),
      objective_completed: own.length,
    };
    for (const [type, counter] of Object.entries(COMPLETED)) {
      counts[counter] = own.filter((one: Exported['data']) => one.type === type).length;
    }
    const group = groupOf(match.gamemode as string);
    this.#add(group, counts);
    this.#reports.push({ group, values: player.counters ?? {} });
    return this;
  }

  facts(): PlayerFacts {
    const names = this.#names();
    const name = names[0]?.name ?? labelOf(this.uuid);
    const { power = 0, faction = '' } = this.#faction ?? {};
    return {
      uuid: this.uuid,
      name,
      names,
      last_login: this.#login?.time ?? '',
      last_login_server: this.#login?.server ?? '',
      last_logout: this.#logout ?? '',
      banned: false,
      private: false,
      groups: {
        ...this.#groups,
        factions: { ...this.#groups['factions'], power, faction },
        total: this.#total(),
        counters: this.#counters.of(this.#reports),
      },
      matches: this.#matches(),
      kills: this.kills.toSorted(newestFirst),
      deaths: this.deaths.toSorted(newestFirst),
      completed: this.#listed(),
      ...{ places: {}, rivals: {} },
    };
  }

  /** Counts an objective for the lists of the player; those without a list are ignored. */
  complete(type: string, id: string, number: number): void {
    this.#completed[type]?.push({ id, number });
  }

  #listed(): PlayerFacts['completed'] {
    return Object.fromEntries(Object.entries(this.#completed).map(([type, items]) => [type, newestIds(items)]));
  }

  #add(group: string, counts: Record<string, number>): void {
    const sums = this.#groups[group]!;
    for (const counter of COUNTERS[group]!) sums[counter]! += counts[counter] ?? 0;
  }

  #total(): Record<string, number> {
    const sum = (counter: string): number =>
      Object.values(this.#groups).reduce((total, counts) => total + (counts[counter] ?? 0), 0);
    return Object.fromEntries(TOTALS.map((counter) => [counter, sum(counter)]));
  }

  /**
   * The present name first; a label of a UUID is none. Names that differ in case only are one, in the last observed spelling. Of several names in
   * one event the last in their order is the newest.
   */
  #names(): Named[] {
    const names = new Map<string, Named>();
    const named = this.#observed.filter(({ name }) => !LABEL.test(name));
    const inOrder = named.toSorted(
      (a, b) => a.time - b.time || a.order - b.order || Number(a.name > b.name) - Number(a.name < b.name),
    );
    for (const { name, time } of inOrder) {
      const before = names.get(name.toLowerCase());
      names.delete(name.toLowerCase());
      names.set(name.toLowerCase(), { name, first_seen: before?.first_seen ?? time, last_seen: time });
    }
    const present = [...names.values()].slice(-1);
    const former = [...names.values()].slice(0, -1);
    return [...present, ...former.sort(lastSeenFirst)];
  }

  /** Two merged UUIDs may have played in the same match, which is listed once, won if either won, with both sums. */
  #matches(): Record<string, unknown>[] {
    const listed = new Map<string, Record<string, unknown>>();
    for (const { id, match, result, player } of this.#played) {
      const before = listed.get(id);
      const sum = (counter: string, own = player[counter] as number): number =>
        ((before?.[counter] as number | undefined) ?? 0) + own;
      listed.set(id, {
        ...{ id, map: match.map, gamemode: match.gamemode },
        result: before?.['result'] === 'win' ? 'win' : result,
        ...{ score: sum('score'), kill_count: sum('kill_count'), death_count: sum('death_count') },
        envdeath_count: sum('envdeath_count', countEnvdeaths(match, player.uuid as string)),
        ...{ started: Date.parse(match.started as string), finished: Date.parse(match.finished as string) },
      });
    }
    return [...listed.values()].sort((a, b) => ((a['id'] as string) < (b['id'] as string) ? 1 : -1));
  }
}

const countEnvdeaths = (match: Exported['data'], uuid: string): number =>
  match.kills.filter((kill: Exported['data']) => kill.killer === null && kill.victim === uuid).length;

const newestFirst = (a: Kill, b: Kill): number =>
  a.match_id === b.match_id ? b.number - a.number : a.match_id < b.match_id ? 1 : -1;

const lastSeenFirst = (a: Named, b: Named): number =>
  b.last_seen - a.last_seen || (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1);

/** The ids of the newest items, sorted. */
function newestIds(items: readonly { id: string; number: number }[]): string[] {
  const newest = items.toSorted((a, b) => (a.id === b.id ? b.number - a.number : a.id < b.id ? 1 : -1));
  return newest
    .slice(0, LISTED)
    .map(({ id }) => id)
    .sort();
}
