import {
  type Board,
  BOARDS,
  type Kill,
  type MapFacts,
  type MatchFacts,
  type Network,
  type PlayerFacts,
  type PunishmentFacts,
  type RivalList,
} from './network.ts';

/** Reads a whole network through the data API of one service. */

type Json = Record<string, unknown>;

const PAGE = 100;
const FIELDS = [
  ...['bowspleef', 'cp', 'ctw', 'factions', 'objective', 'paintball', 'splatt', 'teampvp', 'tntrun', 'total'],
  'names',
  'counters',
  ...['private', 'places', 'form'],
].join(',');
/** Compared elsewhere, or counted every few minutes only. */
const NOT_COUNTERS = /_rank$|^kd_ratio$|^(wool_places|core_leaks|destroys|faction_id|faction_role)$/;
const KILL_NUMBER_AT = 11;
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

export class ApiClient {
  readonly #origin: string;
  readonly #token: string;

  constructor(port: number, token: string) {
    this.#origin = `http://127.0.0.1:${port}`;
    this.#token = token;
  }

  /** @returns the JSON of the response; undefined for 404 */
  async get<T>(path: string): Promise<T | undefined> {
    const response = await fetch(this.#origin + path, { headers: { authorization: `Bearer ${this.#token}` } });
    const text = await response.text();
    if (response.status === 404) return undefined;
    if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }

  /** Walks all pages of a list. */
  async list<T extends Json>(path: string, query = ''): Promise<T[]> {
    const items: T[] = [];
    for (let before = ''; ;) {
      const page = (await this.get<T[]>(`${path}?limit=${PAGE}${query}${before && `&max_id=${before}`}`)) ?? [];
      items.push(...page);
      if (page.length < PAGE) return items;
      before = page.at(-1)!['id'] as string;
    }
  }
}

/** @param uuids the players that may exist */
export async function readNetwork(api: ApiClient, uuids: Iterable<string>): Promise<Network> {
  const matches = await api.list('/v1/matches', '&fields=teams,objectives,counters,winners');
  const punishments = await api.list('/v1/punishments');
  const maps = await api.list('/v1/maps', '&playing=1');
  const players = new Map<string, PlayerFacts>();
  for (const uuid of uuids) {
    const player = await api.get<Json>(`/v1/players/${uuid}?fields=${FIELDS}`);
    if (player !== undefined) players.set(uuid, await readPlayer(api, uuid, player));
  }
  const boards = new Map<string, Board>();
  for (const name of BOARDS) boards.set(name, await readBoard(api, name, players));
  return {
    boards,
    matches: new Map(matches.map((match) => [match['id'] as string, toMatch(match)])),
    players,
    punishments: new Map(punishments.map((one) => [one['id'] as string, toPunishment(one)])),
    maps: new Map(maps.map((map) => [map['name'] as string, toMap(map)])),
  };
}

const at = (value: unknown): number => Date.parse(value as string);
const atOrEmpty = (value: unknown): number | '' => (value === '' ? '' : at(value));

function toMatch({ permalink_url: _, ...match }: Json): MatchFacts {
  const objectives = (match['objectives'] as Json[]).map((one) => ({ ...one, time: at(one['time']) }));
  return {
    ...match,
    objectives,
    started: at(match['started']),
    finished: at(match['finished']),
  } as unknown as MatchFacts;
}

function toPunishment({ permalink_url: _, automatic: __, ...punishment }: Json): PunishmentFacts {
  return { ...punishment, time: at(punishment['time']) } as unknown as PunishmentFacts;
}

function toMap({ id, name, version, objective, gamemodes, rates, rotations }: Json): MapFacts {
  const counted = (rates as { version: string; total: number; rates: Record<string, number> }[])
    .filter(({ total }) => total > 0)
    .map((rate) => [rate.version, Object.values(rate.rates)] as const);
  const sorted = (rotations as string[]).toSorted();
  return { id, name, version, objective, gamemodes, rates: Object.fromEntries(counted), rotations: sorted } as MapFacts;
}

async function readPlayer(api: ApiClient, uuid: string, player: Json): Promise<PlayerFacts> {
  const groups: PlayerFacts['groups'] = {};
  for (const [name, value] of Object.entries(player)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    groups[name] = Object.fromEntries(Object.entries(value).filter(([counter]) => !NOT_COUNTERS.test(counter)));
  }
  const [matches, kills, deaths] = await Promise.all(
    ['matches', 'kills', 'deaths'].map((list) => api.list(`/v1/players/${uuid}/${list}`)),
  );
  return {
    uuid: player['uuid'] as string,
    name: player['name'] as string,
    names: (player['names'] as Json[]).map(({ name, first_seen, last_seen }) => {
      return { name: name as string, first_seen: at(first_seen), last_seen: at(last_seen) };
    }),
    last_login: atOrEmpty(player['last_login']),
    last_login_server: player['last_login_server'] as string,
    last_logout: atOrEmpty(player['last_logout']),
    banned: player['banned'] as boolean,
    private: player['private'] as boolean,
    groups,
    matches: matches!.map(({ time: _, ...played }) => {
      return { ...played, started: at(played['started']), finished: at(played['finished']) };
    }),
    kills: kills!.map(toKill),
    deaths: deaths!.map(toKill),
    completed: toCompleted(player),
    places: Object.fromEntries(
      (player['places'] as Record<string, string>[]).map(({ mode, period, by, ...place }) => [
        `${mode} ${period} ${by}`,
        place,
      ]),
    ),
    rivals: await readRivals(api, uuid),
  };
}

/** The id of a kill is that of its match and a number in three base-32 digits. */
function toKill({ id, match_id, killer_uuid, victim_uuid, time }: Json): Kill {
  const digits = Array.from((id as string).slice(KILL_NUMBER_AT));
  const number = digits.reduce((total, digit) => total * DIGITS.length + DIGITS.indexOf(digit), 0);
  return { match_id, number, killer_uuid, victim_uuid, time: at(time) } as Kill;
}

function toCompleted(player: Json): PlayerFacts['completed'] {
  const group = (name: string, list: string): Json[] => (player[name] as Record<string, Json[]>)[list]!;
  const ids = (items: Json[]): string[] => items.map((item) => item['match_id'] as string).sort();
  return {
    wool: ids(group('ctw', 'wool_places')),
    core: ids(group('objective', 'core_leaks')),
    destroyable: ids(group('objective', 'destroys')),
  };
}

/** Small, so that lists have several pages and equal values are on two of them. */
const RANKED_PAGE = 5;
const AROUND = 5;

/** Walks a list by `after`, and tells if its order is not by value, then by id. */
async function readRanked(
  api: ApiClient,
  path: string,
  valueOf: (item: Json) => number,
  afterOf: (item: Json) => string,
): Promise<Json[]> {
  const items: Json[] = [];
  for (let after = ''; ;) {
    const page = (await api.get<Json[]>(`${path}&limit=${RANKED_PAGE}${after}`))!;
    items.push(...page);
    if (page.length < RANKED_PAGE) break;
    after = `&after=${afterOf(page.at(-1)!)}`;
  }
  for (const [index, item] of items.slice(1).entries()) {
    const before = items[index]!;
    const less = valueOf(before) - valueOf(item);
    if (less < 0 || (less === 0 && (before['id'] as string) <= (item['id'] as string))) item['order'] = 'wrong';
  }
  return items;
}

const MEMBERS = { victims: 'kill_count', killers: 'death_count', teammates: 'play_count', opponents: 'play_count' };

async function readRivals(api: ApiClient, uuid: string): Promise<PlayerFacts['rivals']> {
  const lists: Record<string, RivalList> = {};
  for (const [by, member] of Object.entries(MEMBERS)) {
    const path = `/v1/players/${uuid}/rivals?by=${by}`;
    lists[by] = byUuid(
      await readRanked(
        api,
        path,
        (item) => item[member] as number,
        ({ id }) => id as string,
      ),
    );
  }
  return lists;
}

const byUuid = (items: readonly Json[]): Record<string, Json> =>
  Object.fromEntries(items.map(({ id: _, uuid, permalink_url: __, ...facts }) => [uuid, facts]));

/** A leaderboard, with the players around whom it is not the same; `around` is 404 for people who are not on it. */
async function readBoard(api: ApiClient, name: string, players: ReadonlyMap<string, PlayerFacts>): Promise<Board> {
  const [mode, period, ago, by] = name.split(' ');
  const path = `/v1/leaderboards/${mode}/${period}?by=${by}&ago=${ago}`;
  const valueOf = (item: Json): number => item[by!] as number;
  const items = await readRanked(api, path, valueOf, (item) => `${valueOf(item)}.${item['id'] as string}`);
  const board: Board = byUuid(items);
  if (!/^total (month|all) 0/.test(name)) return board;
  for (const [uuid, player] of players) {
    const at = items.findIndex((item) => item['uuid'] === player.uuid);
    const expected = at < 0 ? undefined : items.slice(Math.max(0, at - AROUND), at + AROUND + 1);
    const around = await api.get<Json[]>(`${path}&around=${uuid}`);
    if (JSON.stringify(around) !== JSON.stringify(expected)) board[`around ${uuid}`] = { around };
  }
  return board;
}
