import { CounterModel } from './counter-model.ts';
import type { Exported } from './exported.ts';
import {
  BOARDS,
  type MapFacts,
  type MatchFacts,
  MODES,
  type Network,
  type PlayerFacts,
  type PunishmentFacts,
} from './network.ts';
import { groupOf, labelOf, PlayerModel, winnersOf } from './player-model.ts';
import { PrivacyModel } from './privacy-model.ts';
import { RankingsModel } from './rankings-model.ts';

/**
 * Computes the expected responses of the APIs from the exported events alone. It shares no code with the service and
 * computes in the obvious way, in memory, event after event.
 */

/** What exports do not contain. */
export interface Unexported {
  /** UUIDs of the network's list. */
  hidden: readonly string[];
  /** The ids of matches that do not count. */
  excluded: ReadonlySet<string>;
}

const NOTHING: Unexported = { hidden: [], excluded: new Set() };

export function expectedNetwork(events: readonly Exported[], unexported = NOTHING): Network {
  const model = new NetworkModel(events, unexported);
  for (const event of events) model.apply(event);
  return model.network();
}

interface Punishment extends Omit<PunishmentFacts, 'punished'> {
  punished: string;
  changed: number;
}

interface GameMap extends Omit<MapFacts, 'rates' | 'rotations'> {
  published: number;
  votes: Map<string, { version: string; rate: number; time: number }>;
}

class NetworkModel {
  readonly #mergedInto = new Map<string, string>();
  readonly #players = new Map<string, PlayerModel>();
  readonly #counters: CounterModel;
  readonly #privacy: PrivacyModel;
  readonly #excluded: ReadonlySet<string>;
  readonly #rankings = new RankingsModel();
  readonly #matches: MatchFacts[] = [];
  readonly #punishments = new Map<string, Punishment>();
  readonly #maps = new Map<string, GameMap>();
  readonly #rotations = new Map<string, { time: number; maps: string[] }>();
  #order = 0;

  /** A merge counts for all events, earlier ones too, so all merges are read first. */
  constructor(events: readonly Exported[], { hidden, excluded }: Unexported) {
    this.#privacy = new PrivacyModel(hidden);
    this.#excluded = excluded;
    this.#counters = new CounterModel(events);
    for (const { type, data } of events) {
      if (type === 'player.merged') this.#mergedInto.set(data.from as string, data.into as string);
    }
  }

  apply(event: Exported): void {
    this.#order++;
    const { type, data } = event;
    const time = Date.parse(event.time);
    this.#privacy.apply(event);
    if (type === 'player.privacy' || type === 'player.name_removed') return;
    if (type === 'match.finished') return this.#match(event);
    if (type === 'map.published') return this.#publish(data, time, event.receipt!);
    if (type === 'map.rated') return this.#rate(data, time);
    if (type.startsWith('punishment.')) return this.#punish(event, time);
    if (type === 'rotation.changed') return this.#rotate(event.server!, time, data.maps as string[]);
    if (data.player === undefined) return;
    const player = this.#observe(data.player, time);
    if (type === 'player.login') player.login(time, event.server!);
    if (type === 'player.logout') player.logout(time);
    if (type === 'player.statistics') player.report(data, time);
  }

  network(): Network {
    const players = new Map<string, PlayerFacts>();
    for (const [uuid, player] of this.#players) players.set(uuid, player.facts());
    const nameOf = (uuid: string): string => players.get(uuid)?.name ?? '';
    const named = this.#labels(players);
    const punishments = [...this.#punishments.values()].map(({ changed: _, punished, punisher, reason, ...facts }) => {
      if (facts.type === 'ban' && facts.state === 0) players.get(punished)!.banned = true;
      return {
        ...facts,
        punisher: punisher && { ...punisher, name: named(punisher.name) },
        punished: { uuid: punished, name: nameOf(punished) },
        reason: named(reason),
      };
    });
    const matches = this.#matches.map((match) => [match.id, this.#shownMatch(match, players, named)] as const);
    const isLeftOut = (uuid: string): boolean => this.#privacy.isLeftOut({ uuid, name: nameOf(uuid) });
    const people = { isLeftOut, nameOf };
    const places = this.#rankings.places(MODES, people);
    const boards = BOARDS.map((name) => [name, this.#rankings.board(name, people)] as const);
    const empty = new PlayerModel('', this.#counters).facts();
    for (const player of [empty, ...players.values()]) {
      player.groups['form'] = this.#rankings.form(player.uuid);
      player.places = places.get(player.uuid) ?? {};
      player.rivals = this.#rankings.rivals(player.uuid, player, people);
    }
    for (const [uuid, player] of players) players.set(uuid, this.#privacy.shown(uuid, player, empty));
    // A merged UUID finds the surviving player.
    for (const uuid of this.#mergedInto.keys()) {
      const survivor = players.get(this.#survivor(uuid));
      if (survivor !== undefined) players.set(uuid, survivor);
    }
    return {
      matches: new Map(matches),
      players,
      punishments: new Map(punishments.map((one) => [one.id, one])),
      boards: new Map(boards),
      maps: new Map([...this.#maps.values()].map((map) => [map.name, this.#mapFacts(map)])),
    };
  }

  /** Returns a function that puts the present names into a text with labels of UUIDs. */
  #labels(players: ReadonlyMap<string, PlayerFacts>): (text: string) => string {
    const uuids = [...players.keys(), ...this.#mergedInto.keys()];
    const names = new Map(uuids.map((uuid) => [labelOf(uuid), players.get(this.#survivor(uuid))?.name]));
    return (text) => text.replace(/[0-9a-f]{8}-[0-9a-f]{12}/g, (label) => names.get(label) ?? label);
  }

  #survivor(uuid: string): string {
    const into = this.#mergedInto.get(uuid);
    return into === undefined ? uuid : this.#survivor(into);
  }

  #player(uuid: string): PlayerModel {
    const survivor = this.#survivor(uuid);
    let player = this.#players.get(survivor);
    if (player === undefined) this.#players.set(survivor, (player = new PlayerModel(survivor, this.#counters)));
    return player;
  }

  #observe({ uuid, name }: { uuid: string; name?: string }, time: number): PlayerModel {
    const player = this.#player(uuid);
    player.observe(name, time, this.#order);
    return player;
  }

  /**
   * A match as reported, with the surviving UUIDs; if a merged UUID of a player took part, or one without a name, the player
   * has the present name everywhere in the match, and one whose former names are private has it in the place of them.
   */
  #shownMatch(
    { teams, objectives, counters, win, winners, ...head }: MatchFacts,
    people: ReadonlyMap<string, PlayerFacts>,
    withLabels: (text: string) => string,
  ): MatchFacts {
    const nameOf = (uuid: string): string => people.get(uuid)?.name ?? '';
    const isFormer = (survivor: string, name: string): boolean =>
      this.#privacy.hidesNames(survivor) && name.toLowerCase() !== nameOf(survivor).toLowerCase();
    const reported = [
      ...teams.flatMap(({ players }) => players.map(({ uuid }) => uuid as string)),
      ...objectives.map(({ player_uuid }) => player_uuid as string),
    ];
    const text = JSON.stringify([teams, objectives]);
    const renamed = this.#teamsOfPrivate(teams, people, isFormer, withLabels);
    const merged = new Set(
      reported
        .filter((uuid) => uuid !== '' && (this.#mergedInto.has(uuid) || text.includes(labelOf(uuid))))
        .map((uuid) => this.#survivor(uuid)),
    );
    const shown = (uuid: string, name: string): { uuid: string; name: string } => {
      const survivor = this.#survivor(uuid);
      return { uuid: survivor, name: merged.has(survivor) || isFormer(survivor, name) ? nameOf(survivor) : name };
    };
    const named = (team: string): string => renamed.get(team) ?? withLabels(team);
    const player = (one: Record<string, unknown>) => ({
      ...one,
      ...shown(one['uuid'] as string, one['name'] as string),
    });
    return {
      ...head,
      win: named(win),
      winners: winners.map(named),
      teams: teams.map((team) => ({ ...team, name: named(team.name), players: team.players.map(player) })),
      counters: counters.map((one) => ({ ...player(one), team: named(one['team'] as string) })),
      objectives: objectives.map((objective) => {
        const { uuid, name } = shown(objective.player_uuid as string, objective.player as string);
        return { ...objective, team: named(objective['team'] as string), player: name, player_uuid: uuid };
      }),
    };
  }

  /** The present names of players with private names for the teams of which each is the only player, by the former ones. */
  #teamsOfPrivate(
    teams: MatchFacts['teams'],
    people: ReadonlyMap<string, PlayerFacts>,
    isFormer: (survivor: string, name: string) => boolean,
    withLabels: (text: string) => string,
  ): ReadonlyMap<string, string> {
    const own = teams.flatMap(({ name, players }) => {
      const [uuid = '', ...others] = new Set(players.map((one) => this.#survivor(one['uuid'] as string)));
      const player = people.get(uuid);
      if (player === undefined || others.length > 0) return [];
      const known = [...players, ...player.names].map((one) => one['name' as keyof typeof one] as string);
      const former = known.filter((one) => one !== '' && isFormer(player.uuid, one)).map((one) => one.toLowerCase());
      const bears = [name, name.replace(/ \d+$/, '')].some((one) => former.includes(one.toLowerCase()));
      return bears ? [[name, player.name] as const] : [];
    });
    const renamed = new Map<string, string>();
    const taken = new Set(
      teams
        .map(({ name }) => name)
        .filter((name) => own.every(([before]) => before !== name))
        .map(withLabels),
    );
    for (const [before, name] of own) {
      let free = name;
      for (let number = 2; taken.has(free); number++) free = `${name} ${number}`;
      taken.add(free);
      renamed.set(before, free);
    }
    return renamed;
  }

  #match({ data, receipt, server }: Exported): void {
    const teams = data.teams.map((team: { color?: string; players: Record<string, number>[] }) => {
      const sum = (count: string): number => team.players.reduce((total, player) => total + (player[count] ?? 0), 0);
      const defaults = { score: sum('score'), kill_count: sum('kill_count'), death_count: sum('death_count') };
      const { color: _, ...shown } = team;
      const players = team.players.map(({ time_played: _, counters: __, primary: ___, ...player }) => player);
      return { ...defaults, ...shown, players };
    });
    const total = (count: string): number =>
      teams.reduce((sum: number, team: Record<string, number>) => sum + team[count]!, 0);
    const { map, gamemode, ranked } = data;
    const winners = winnersOf(data);
    const [win = ''] = winners;
    const [started, finished] = [Date.parse(data.started as string), Date.parse(data.finished as string)];
    const objectives = data.objectives.map(({ player, percent: _, ...facts }: Exported['data']) => {
      const { uuid = '', name = '' } = player ?? {};
      const time = Date.parse(facts.time as string);
      return { ...facts, color: facts.color ?? '', player: name, player_uuid: uuid, time };
    });
    const counts = { kill_count: total('kill_count'), death_count: total('death_count') };
    const head = { id: receipt!, map, server: server!, gamemode, ranked, win, ...counts };
    const counters = this.#countersIn(data);
    this.#matches.push({ ...head, started, finished, teams, objectives, counters, winners });
    this.#play(data, head.id, finished);
  }

  #countersIn({ teams, gamemode }: Exported['data']): Record<string, unknown>[] {
    return teams.flatMap(({ name: team, players }: Exported['data']) =>
      players.flatMap((player: Exported['data']) => {
        const counters = this.#counters.shownIn(groupOf(gamemode as string), player.counters);
        return counters === undefined ? [] : [{ uuid: player.uuid, name: player.name, team, counters }];
      }),
    );
  }

  #play(data: Exported['data'], id: string, finished: number): void {
    const seen = new Set<string>();
    const winners = winnersOf(data);
    const isCounted = !this.#excluded.has(id);
    for (const [place, team] of data.teams.entries()) {
      const result = winners.length === 0 ? 'draw' : winners.includes(team.name as string) ? 'win' : 'lose';
      for (const player of team.players) {
        if (player.primary === false) continue;
        seen.add(player.uuid as string);
        const played = { id, match: data, result, player };
        const { uuid } = this.#observe(player, finished).play(played, isCounted);
        const group = groupOf(data.gamemode as string);
        if (isCounted)
          this.#rankings.play({ ...player, id, map: data.map, group, finished, uuid, team: place, result });
      }
    }
    for (const [number, { player, type }] of data.objectives.entries()) {
      if (player !== null) this.#player(player.uuid as string).complete(type as string, id, number);
      if (player === null || seen.has(player.uuid as string)) continue;
      seen.add(player.uuid as string);
      this.#observe(player, finished);
    }
    for (const [number, { killer, victim, time }] of data.kills.entries()) {
      const place = { match_id: id, number, time: Date.parse(time as string) };
      const [by, of] = [killer === null ? '' : this.#survivor(killer as string), this.#survivor(victim as string)];
      const kill = { ...place, killer_uuid: by, victim_uuid: of };
      if (killer !== null) this.#player(killer as string).kills.push(kill);
      this.#player(victim as string).deaths.push(kill);
    }
  }

  #publish({ name, version, objective = '', gamemodes = [] }: Exported['data'], time: number, id: string): void {
    const known = this.#maps.get(name as string);
    if (known === undefined) {
      this.#maps.set(name as string, { id, name, version, objective, gamemodes, published: time, votes: new Map() });
      return;
    }
    const next = { version, objective: objective || known.objective, gamemodes };
    const { version: v, objective: o, gamemodes: g } = known;
    const isSame = JSON.stringify(next) === JSON.stringify({ version: v, objective: o, gamemodes: g });
    if (time < known.published) return;
    // The same version again is newer than others with an earlier time that arrive later.
    known.published = time;
    if (!isSame) Object.assign(known, next);
  }

  #rate({ map: name, player, rate, version: rated }: Exported['data'], time: number): void {
    const map = this.#maps.get(name as string)!;
    this.#observe(player, time);
    const version = (rated as string | undefined) ?? map.version;
    const vote = `${version} ${this.#survivor(player.uuid as string)}`;
    const before = map.votes.get(vote);
    if (before === undefined || before.time <= time) map.votes.set(vote, { version, rate: rate as number, time });
  }

  #mapFacts({ votes, published: _, ...map }: GameMap): MapFacts {
    const rates: Record<string, number[]> = {};
    for (const { version, rate } of votes.values()) (rates[version] ??= [0, 0, 0, 0, 0])[rate - 1]!++;
    const rotations = [...this.#rotations].filter(([, { maps }]) => maps.includes(map.name)).map(([server]) => server);
    return { ...map, rates, rotations: rotations.sort() };
  }

  #punish({ type, data, server = '', receipt }: Exported, time: number): void {
    const reference = `${server} ${data.punishment}`;
    if (type === 'punishment.issued') {
      this.#observe(data.punished, time);
      const { punisher, level = 0, reason = '' } = data;
      this.#punishments.set(reference, {
        id: receipt!,
        punisher: punisher ?? null,
        punished: this.#survivor(data.punished.uuid as string),
        ...{ type: data.type as string, level, reason, server, state: 0, time, changed: time },
      });
      return;
    }
    const punishment = this.#punishments.get(reference)!;
    if (type === 'punishment.revoked') punishment.state = 2;
    else if (time >= punishment.changed) Object.assign(punishment, { reason: data.reason, changed: time });
  }

  #rotate(server: string, time: number, maps: string[]): void {
    const before = this.#rotations.get(server);
    if (before === undefined || before.time <= time) this.#rotations.set(server, { time, maps });
  }
}
