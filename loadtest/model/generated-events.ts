import type { Random } from '#demo/network/random.ts';

/**
 * Random events of a small network, with few players, maps and timestamps, so that events often concern the same
 * player, contradict each other or have the same time.
 */

export interface ModelEvent {
  version: 1;
  id: string;
  type: string;
  time: string;
  data: Record<string, unknown>;
}

export interface Person {
  uuid: string;
  name: string;
}

const PLAYERS = 24;
const MAPS = ['Isle', 'Ruins', 'Old Mill', 'Canyon'];
const GAMEMODES = ['ctw', 'tdm', 'dtc', 'koth', 'bowspleef', 'tntrun', 'paintball', 'splatt'];
const OBJECTIVES = ['wool', 'core', 'destroyable', 'flag', 'control_point', 'other'];
/** The last one is never declared. */
export const COUNTERS = ['wools', 'streak', 'assists', 'rogue'];
const PUNISHMENTS = 12;
const SPAN_S = 600;
/** How long ago matches finished, in days: several periods of the leaderboards, one of them deleted. */
const AGES = [0, 0, 0, 0, 1, 8, 31, 62, 800];

/** A network of players whose names change, collide and return. */
export class EventGenerator {
  readonly #random: Random;
  readonly #began: number;
  readonly #prefix: string;
  readonly uuids: readonly string[];
  #count = 0;

  /** @param prefix makes the ids of this sender different from others of the same server */
  constructor(random: Random, began: number, prefix: string, players = PLAYERS) {
    this.#random = random;
    this.#began = began;
    this.#prefix = prefix;
    this.uuids = Array.from({ length: players }, (_, number) => numberedUuid(number));
  }

  next(): ModelEvent {
    const [type, data] = this.#body();
    // Every server uses the same ids, because an id belongs to its server.
    return { version: 1, id: `${this.#prefix}-${this.#count++}`, type, time: this.time(), data };
  }

  /** A different event with the id of an earlier one, which the service must not apply. */
  forgery(of: ModelEvent): ModelEvent {
    return { ...this.next(), id: of.id };
  }

  login(uuid: string): ModelEvent {
    return { ...this.next(), type: 'player.login', data: { player: { uuid, name: this.#nameOf(uuid) } } };
  }

  link(uuid: string, code: string): ModelEvent {
    return { ...this.next(), type: 'account.link', data: { player: { uuid, name: this.#nameOf(uuid) }, code } };
  }

  time(): string {
    return new Date(this.#began + this.#random.below(SPAN_S) * 1000).toISOString();
  }

  #body(): [type: string, data: Record<string, unknown>] {
    const random = this.#random;
    const chance = random.below(100);
    if (chance < 40) return ['match.finished', this.#match()];
    if (chance < 62)
      return [random.pick(['player.login', 'player.login', 'player.logout', 'player.named']), this.#seen()];
    if (chance < 69) return ['map.published', this.#map()];
    if (chance < 79) return ['map.rated', this.#rating()];
    if (chance < 82) return ['rotation.changed', { maps: random.sample(MAPS, random.below(4)) }];
    if (chance < 88) return ['punishment.issued', this.#punishment()];
    if (chance < 91)
      return ['punishment.changed', { punishment: this.#reference(), reason: random.pick(['a', 'b', 'c']) }];
    if (chance < 94) return ['punishment.revoked', { punishment: this.#reference() }];
    return ['player.statistics', this.#statistics()];
  }

  #seen(): Record<string, unknown> {
    return { player: this.#person() };
  }

  #person(): Person {
    const uuid = this.#random.pick(this.uuids);
    return { uuid, name: this.#nameOf(uuid) };
  }

  #nameOf(uuid: string): string {
    const [usual, ...others] = this.namesOf(uuid);
    return this.#random.chance(0.7) ? usual! : this.#random.pick(others);
  }

  /** All names that a player has in turn. */
  namesOf(uuid: string): string[] {
    const number = this.uuids.indexOf(uuid);
    return [...['Player', 'Other', 'player', 'New'].map((stem) => `${stem}${number}`), 'Shared'];
  }

  #match(): Record<string, unknown> {
    const random = this.#random;
    const played = random.sample(this.uuids, random.below(9)).map((uuid) => this.#played(uuid));
    const age = random.pick(AGES) * 86_400_000;
    const finished = new Date(Date.parse(this.time()) - age).toISOString();
    const half = random.below(played.length + 1);
    const uuids = played.map((player) => player['uuid'] as string);
    const [moved] = played.slice(0, half);
    const secondary = moved !== undefined && random.chance(0.2) ? [{ ...moved, ...this.#own(), primary: false }] : [];
    const kills = uuids.length < 2 ? [] : Array.from({ length: random.below(12) }, () => this.#kill(uuids, finished));
    const teams =
      played.length > 1 && random.chance(0.2)
        ? freeForAll(played)
        : [
            { name: 'Red', ...(random.chance(0.3) && { score: random.below(9) }), players: played.slice(0, half) },
            {
              name: 'Blue',
              ...(random.chance(0.2) && { color: 'blue' }),
              players: [...played.slice(half), ...secondary],
            },
          ];
    const [one, other] = random.shuffled(teams.map(({ name }) => name));
    return {
      map: random.pick(MAPS),
      gamemode: random.pick(GAMEMODES),
      ranked: random.chance(0.5),
      win: random.pick(['', one, other]),
      ...(random.chance(0.1) && { winners: [one, other] }),
      started: new Date(this.#began - age - 600_000).toISOString(),
      finished,
      teams,
      objectives: Array.from({ length: random.below(4) }, () => this.#objective(one!)),
      kills,
    };
  }

  #played(uuid: string): Record<string, unknown> {
    const counts = ['score', 'kill_count', 'death_count', 'shot_count', 'hit_count', 'paint_count', 'time_played'];
    const facts = counts.map((count) => [count, this.#random.below(10)] as const);
    return { uuid, name: this.#nameOf(uuid), ...Object.fromEntries(facts), ...this.#own() };
  }

  /** Values of the network's own counters, often none. */
  #own(): Record<string, unknown> {
    const random = this.#random;
    if (random.chance(0.4)) return {};
    return { counters: Object.fromEntries(random.sample(COUNTERS, 2).map((key) => [key, random.below(9)])) };
  }

  #kill(uuids: readonly string[], time: string): Record<string, unknown> {
    const [killer, victim] = this.#random.sample(uuids, 2);
    return { killer: this.#random.chance(0.3) ? null : killer, victim, time };
  }

  #objective(team: string): Record<string, unknown> {
    const random = this.#random;
    const player = random.chance(0.2) ? null : this.#person();
    return { player, team, type: random.pick(OBJECTIVES), name: `goal ${random.below(3)}`, time: this.time() };
  }

  /** Each server publishes all maps in turn; only the first publisher may change one. */
  #map(): Record<string, unknown> {
    const random = this.#random;
    const version = random.pick(['1', '2', '3']);
    return {
      name: random.pick(MAPS),
      version,
      objective: random.pick(['', 'Win']),
      gamemodes: random.sample(['ctw', 'tdm'], random.below(3)),
    };
  }

  #rating(): Record<string, unknown> {
    const random = this.#random;
    const version = random.chance(0.5) ? { version: random.pick(['1', '2']) } : {};
    return { map: random.pick(MAPS), player: this.#person(), rate: 1 + random.below(5), ...version };
  }

  #reference(): string {
    return `p${this.#random.below(PUNISHMENTS)}`;
  }

  #punishment(): Record<string, unknown> {
    const random = this.#random;
    const punisher = random.chance(0.5) ? this.#person() : null;
    const type = random.pick(['ban', 'mute', 'kick']);
    const punished = this.#person();
    return {
      punishment: this.#reference(),
      punished,
      punisher,
      type,
      level: random.below(3),
      reason: random.pick(['spam', `${this.#nameOf(punished.uuid)}: spam`]),
    };
  }

  #statistics(): Record<string, unknown> {
    const random = this.#random;
    const counts = { kill_count: random.below(5), death_count: random.below(5), time_played: random.below(99) };
    return {
      player: this.#person(),
      gamemode: 'factions',
      ...counts,
      power: random.below(50),
      faction: random.pick(['', 'Foxes']),
      ...this.#own(),
    };
  }
}

/** Each player is a team with the name of the player. */
function freeForAll(
  played: readonly Record<string, unknown>[],
): { name: string; players: Record<string, unknown>[] }[] {
  const teams = new Map<string, { name: string; players: Record<string, unknown>[] }>();
  for (const player of played) {
    const free = teams.has(player['name'] as string) ? `${String(player['name'])} 2` : (player['name'] as string);
    const team = teams.get(free) ?? { name: free, players: [] };
    team.players.push(player);
    teams.set(free, team);
  }
  return [...teams.values()];
}

const numberedUuid = (number: number): string => `5c0fe11a-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
