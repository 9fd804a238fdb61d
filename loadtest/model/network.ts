/** The responses of the APIs about a network, in a form for comparison. Timestamps are epoch milliseconds. */

export interface Network {
  matches: Map<string, MatchFacts>;
  /** By UUID. */
  players: Map<string, PlayerFacts>;
  punishments: Map<string, PunishmentFacts>;
  /** By name. */
  maps: Map<string, MapFacts>;
}

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
  name: string;
  names: Named[];
  last_login: number | '';
  last_login_server: string;
  last_logout: number | '';
  banned: boolean;
  private: boolean;
  /** The counters of each field group. */
  groups: Record<string, Record<string, unknown>>;
  /** Newest first. */
  matches: Record<string, unknown>[];
  kills: Kill[];
  deaths: Kill[];
  /** The ids of the matches in which the player placed wools, leaked cores and destroyed destroyables, sorted. */
  completed: Record<string, string[]>;
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
