import { randomUUID } from 'node:crypto';
import type { Event, WireEvent } from '#events/schema/index.ts';
import { MAP_ROWS } from '#demo/network/map-list.ts';
import { type Gamemode, MODES } from '#demo/network/match/modes.ts';
import { Names } from '#demo/network/people/names.ts';
import { Random } from '#demo/network/random.ts';

type Wire<T extends WireEvent['type']> = Extract<WireEvent, { type: T }>;
export type WireMatch = Wire<'match.finished'>;
/** A match as a game server sends it: the key names the server. */
export type ReportedMatch = Omit<WireMatch, 'server'>;
export type MatchEvent = Extract<Event, { type: 'match.finished' }>;

/** A match in both forms, as sent and as parsed: generating both saves parsing a million matches. */
export interface GeneratedMatch {
  wire: WireMatch;
  event: MatchEvent;
}

/** The end of the last match. It is fixed, so that a seed always gives the same history. */
export const END = Date.parse('2026-01-31T00:00:00Z');

const SERVERS = ['Anvil', 'Bellows', 'Crucible', 'Drill', 'Engine', 'Flywheel'];
const PLAYERS = 20_000;
const INTERVAL_MS = 60_000;
const BLOCK = 500;
const OPENING_MS = 24 * 3_600_000;

/** Players, servers, maps and matches of a network far larger than the sample network, for measurements and load tests. */
export class BenchHistory {
  readonly players: readonly { uuid: string; name: string }[];
  readonly #seed: string;
  readonly #matches: number;
  readonly #block: number;

  constructor(seed: string, matches: number, players = PLAYERS, block = BLOCK) {
    this.#seed = seed;
    this.#matches = matches;
    this.#block = block;
    const random = new Random(seed, 'bench players');
    const names = new Names(random, []);
    this.players = Array.from({ length: players }, () => ({ uuid: uuidOf(random.hex(32)), name: names.next() }));
  }

  /** The events before the first match: servers, maps, rotations, and the first login of every player. */
  *opening(): Generator<WireEvent> {
    const start = END - this.#matches * INTERVAL_MS - OPENING_MS;
    for (const [place, name] of SERVERS.entries()) yield configured(name, place, start);
    for (const { name } of MAP_ROWS) yield published(name, start);
    for (const name of SERVERS) yield rotation(name, start);
    for (const [place, player] of this.players.entries()) yield login(player, place, start + place * 1000);
  }

  /** All matches by time, in blocks. */
  *blocks(): Generator<GeneratedMatch[]> {
    for (let first = 0; first < this.#matches; first += this.#block) {
      const random = new Random(this.#seed, 'bench matches', first);
      const count = Math.min(this.#block, this.#matches - first);
      yield Array.from({ length: count }, (_, place) => {
        const number = first + place;
        return this.match(random, number, END - (this.#matches - 1 - number) * INTERVAL_MS);
      });
    }
  }

  /** @param size the number of players; random when omitted */
  reportedMatch(
    random: Random,
    finished: number,
    { size, id = randomUUID() }: { size?: number; id?: string } = {},
  ): ReportedMatch {
    const { server: _, ...match } = this.match(random, 0, Math.floor(finished), size).wire;
    return { ...match, id };
  }

  /** @param finished epoch milliseconds */
  match(random: Random, number: number, finished: number, size?: number): GeneratedMatch {
    const map = random.pick(MAP_ROWS);
    const gamemode = map.gamemodes[0]!;
    const started = finished - random.int(MODES[gamemode].minutes[0] * 60, MODES[gamemode].minutes[1] * 60) * 1000;
    const names = map.teams.length === 0 ? ['Left', 'Right'] : map.teams.map(({ name }) => name);
    const players = this.#playersOf(random, gamemode, (finished - started) / 1000, size);
    const teams = names.map((name, place) => ({
      name,
      players: players.filter((_, each) => each % names.length === place),
    }));
    const common = {
      map: map.name,
      gamemode,
      ranked: random.chance(0.1),
      win: random.chance(0.04) ? '' : random.pick(names),
    };
    return inBothForms({ number, server: random.pick(SERVERS), started, finished, common, teams, random });
  }

  /** The players of a match: a few players take part very often, most rarely. */
  #playersOf(random: Random, gamemode: Gamemode, seconds: number, size = random.int(5, 30)): MatchPlayer[] {
    const chosen = new Set<number>();
    const count = Math.min(size, this.players.length);
    while (chosen.size < count) chosen.add(Math.floor(this.players.length * random.next() ** 2));
    const shoots = gamemode === 'paintball' || gamemode === 'splatt';
    return Array.from(chosen, (place) => {
      const kills = random.int(0, 18);
      return {
        ...this.players[place]!,
        score: random.int(0, 40),
        kill_count: kills,
        death_count: random.int(0, 18),
        shot_count: shoots ? kills * random.int(2, 9) : 0,
        hit_count: shoots ? kills : 0,
        paint_count: gamemode === 'splatt' ? random.int(100, 900) : 0,
        time_played: Math.floor(seconds * random.between(0.3, 1)),
      };
    });
  }
}

type MatchPlayer = MatchEvent['data']['teams'][number]['players'][number];

interface Draft {
  number: number;
  server: string;
  started: number;
  finished: number;
  common: { map: string; gamemode: string; ranked: boolean; win: string };
  teams: { name: string; players: MatchPlayer[] }[];
  random: Random;
}

/** The two forms differ only in timestamps: epoch milliseconds as parsed, ISO 8601 as sent. */
function inBothForms({ number, server, started, finished, common, teams, random }: Draft): GeneratedMatch {
  const objectives = objectivesOf(random, teams, started, finished);
  const kills = random.chance(0.05) ? killsOf(random, teams, started, finished) : [];
  const envelope = { version: 1, id: `bench-${number}`, type: 'match.finished', server } as const;
  const event = { ...envelope, time: finished, data: { ...common, started, finished, teams, objectives, kills } };
  const sent = {
    ...common,
    started: textOf(started),
    finished: textOf(finished),
    teams,
    objectives: objectives.map((objective) => ({ ...objective, time: textOf(objective.time) })),
    ...(kills.length > 0 && { kills: kills.map((kill) => ({ ...kill, time: textOf(kill.time) })) }),
  };
  return { event, wire: { ...envelope, time: sent.finished, data: sent } };
}

const TYPES = ['wool', 'core', 'destroyable', 'flag', 'control_point', 'other'] as const;

function objectivesOf(
  random: Random,
  teams: Draft['teams'],
  from: number,
  to: number,
): MatchEvent['data']['objectives'] {
  return Array.from({ length: random.int(0, 4) }, () => {
    const team = random.pick(teams);
    const scorer = team.players.length === 0 || random.chance(0.2) ? null : random.pick(team.players);
    const player = scorer === null ? null : { uuid: scorer.uuid, name: scorer.name };
    return {
      player,
      team: team.name,
      type: random.pick(TYPES),
      name: 'Goal',
      color: 'red',
      time: random.int(from, to),
    };
  });
}

function killsOf(random: Random, teams: Draft['teams'], from: number, to: number): MatchEvent['data']['kills'] {
  const players = teams.flatMap((team) => team.players);
  return Array.from({ length: random.int(3, 25) }, () => ({
    killer: random.pick(players).uuid,
    victim: random.pick(players).uuid,
    time: random.int(from, to),
  }));
}

/** The result of the players of a team. */
export const resultOf = ({ win }: MatchEvent['data'], { name }: { name: string }): 'win' | 'lose' | 'draw' =>
  win === '' ? 'draw' : win === name ? 'win' : 'lose';

const textOf = (time: number): string => new Date(time).toISOString();

function uuidOf(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20)].join('-');
}

function configured(server: string, order: number, time: number): Wire<'server.configured'> {
  const data = { region: 'Bench', order, max: 60 };
  return { version: 1, id: `server-${server}`, type: 'server.configured', time: textOf(time), server, data };
}

function published(name: string, time: number): Wire<'map.published'> {
  const { gamemodes, teams, max, objective } = MAP_ROWS.find((row) => row.name === name)!;
  const data = {
    name,
    version: '1.0.0',
    objective,
    gamemodes: [...gamemodes],
    teams: teams.map((team) => ({ ...team, max })),
  };
  return { version: 1, id: `map-${name}`, type: 'map.published', time: textOf(time), data };
}

function rotation(server: string, time: number): Wire<'rotation.changed'> {
  const data = { maps: MAP_ROWS.map(({ name }) => name) };
  return { version: 1, id: `rotation-${server}`, type: 'rotation.changed', time: textOf(time), server, data };
}

function login(player: { uuid: string; name: string }, number: number, time: number): Wire<'player.login'> {
  const server = SERVERS[number % SERVERS.length]!;
  return { version: 1, id: `login-${number}`, type: 'player.login', time: textOf(time), server, data: { player } };
}
