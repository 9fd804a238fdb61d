/** The responses of the APIs about a network, in a form for comparison. Timestamps are epoch milliseconds. */

export interface Network {
  matches: Map<string, MatchFacts>;
  /** By UUID. */
  players: Map<string, PlayerFacts>;
  punishments: Map<string, PunishmentFacts>;
  /** By name. */
  maps: Map<string, MapFacts>;
  /** By the names of `BOARDS`. */
  boards: Map<string, Board>;
}

/** The players of a leaderboard, by UUID. */
export type Board = Record<string, Record<string, unknown>>;
/** By UUID. */
export type RivalList = Record<string, object>;

export const MODES = ['bowspleef', 'cp', 'ctw', 'objective', 'paintball', 'splatt', 'teampvp', 'tntrun'];

const PERIODS = ['day 0', 'day 1', 'week 0', 'week 1', 'month 0', 'month 1', 'month 2', 'all 0'];
/** Mode, period, the number of periods before the present one, and the member that orders the leaderboard. */
export const BOARDS = [
  ...PERIODS.map((period) => `total ${period}`),
  ...MODES.flatMap((mode) => [`${mode} month 0`, `${mode} all 0`]),
].flatMap((board) => ['win_count', 'kill_count', 'play_count'].map((by) => `${board} ${by}`));

export interface MatchFacts extends Record<string, unknown> {
  id: string;
  started: number;
  finished: number;
  win: string;
  winners: string[];
  teams: (Record<string, unknown> & { name: string; players: Record<string, unknown>[] })[];
  objectives: Record<string, unknown>[];
  counters: Record<string, unknown>[];
}

export interface Named {
  name: string;
  first_seen: number;
  last_seen: number;
}

export interface Kill {
  match_id: string;
  number: number;
  killer_uuid: string;
  victim_uuid: string;
  time: number;
}

export interface PlayerFacts {
  uuid: string;
  name: string;
  names: Named[];
  last_login: number | '';
  last_login_server: string;
  last_logout: number | '';
  banned: boolean;
  private: boolean;
  /** The counters of each field group, and `form`. */
  groups: Record<string, Record<string, unknown>>;
  /** Newest first. */
  matches: Record<string, unknown>[];
  kills: Kill[];
  deaths: Kill[];
  /** The ids of the matches in which the player placed wools, leaked cores and destroyed destroyables, sorted. */
  completed: Record<string, string[]>;
  /** By mode, period and the member that orders the leaderboard. */
  places: Record<string, object>;
  /** By the order of the list. */
  rivals: Record<string, RivalList>;
}

export interface PunishmentFacts {
  id: string;
  punisher: { uuid: string; name: string } | null;
  punished: { uuid: string; name: string };
  state: number;
  type: string;
  level: number;
  reason: string;
  server: string;
  time: number;
}

export interface MapFacts {
  id: string;
  name: string;
  version: string;
  objective: string;
  gamemodes: string[];
  /** The number of ratings from 1 to 5, by version. */
  rates: Record<string, number[]>;
  rotations: string[];
}
