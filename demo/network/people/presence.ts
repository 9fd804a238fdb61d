import type { WireEvent } from '#events/schema/index.ts';
import type { SampleMap } from '../maps.ts';
import { playersAt, playMatch, timestampOf } from '#demo/network/match/match.ts';
import { progressOf } from '#demo/network/match/progress.ts';
import type { Bars, Day, Network } from '../network.ts';
import type { Fixture, Programme } from '../schedule.ts';
import { FACTIONS, LOBBY, SERVERS, type Server } from '../servers.ts';
import type { PlayerStay } from './sessions.ts';
import type { Naming } from '#demo/network/match/teams.ts';

/** Generates heartbeats and matches at any time; after the end of the history the network continues in the same way. */
export class Presence {
  readonly #network: Network;
  readonly #bars: Bars;
  readonly #naming: Naming;
  #today: Day | undefined;

  constructor(network: Network, bars: Bars, naming: Naming) {
    this.#network = network;
    this.#bars = bars;
    this.#naming = naming;
  }

  /** The heartbeat of every server at a time. */
  at(time: number): WireEvent[] {
    const today = this.#dayOf(time);
    return SERVERS.map((server) => this.#heartbeat(today, server, time));
  }

  /** The matches that run at a time. */
  runningAt(time: number): WireEvent[] {
    return this.#fixturesAt(time)
      .filter(({ started, finished }) => started <= time && finished > time)
      .map((fixture) =>
        progressOf(this.#network.seed, fixture, this.#naming, {
          time,
          online: this.#here(this.#dayOf(time), fixture.server, time).length,
        }),
      );
  }

  /** The matches that end after `from`, until `to`; both are times of one day. */
  resultsBetween(from: number, to: number): WireEvent[] {
    return this.#fixturesAt(to)
      .filter(({ finished }) => finished > from && finished <= to)
      .map((fixture) => playMatch(this.#network.seed, fixture, this.#naming));
  }

  #here(today: Day, server: Server, time: number): PlayerStay[] {
    return today.sessions
      .flatMap(({ stays }) => stays)
      .filter((stay) => stay.server === server.name && stay.from <= time && stay.to > time);
  }

  #playing(programme: Programme, time: number): Game {
    const index = programme.fixtures.findIndex(({ finished }) => finished > time);
    const fixture = programme.fixtures[index];
    const map = fixture?.map ?? programme.waiting;
    const next = programme.fixtures[index + 1]?.map;
    const isRunning = fixture !== undefined && fixture.started <= time;
    return {
      current: isRunning ? playersAt(this.#network.seed, fixture, this.#naming, time).size : 0,
      gamemode: fixture?.gamemode ?? map.gamemodes[0]!,
      current_map: map.name,
      next_map: (fixture && next ? next : mapAfter(programme, map)).name,
    };
  }

  #fixturesAt(time: number): Fixture[] {
    return this.#dayOf(time).programmes.flatMap(({ fixtures }) => fixtures);
  }

  #dayOf(time: number): Day {
    const day = this.#network.dayOf(time);
    if (this.#today?.day !== day) this.#today = this.#network.day(day, this.#bars);
    return this.#today;
  }

  #heartbeat(today: Day, server: Server, time: number): WireEvent {
    const here = this.#here(today, server, time);
    const programme = today.programmes.find((other) => other.server === server);
    return {
      version: 1,
      id: `presence-${server.name}-${time}`,
      type: 'server.presence',
      time: timestampOf(time),
      server: server.name,
      data: {
        players: here.map(({ player }) => this.#naming(player, time)),
        ...(programme === undefined ? idle(server, here.length) : this.#playing(programme, time)),
      },
    };
  }
}

interface Game {
  current: number;
  gamemode: string;
  current_map: string;
  next_map: string;
}

/** The game of a server without matches: no player in the lobby plays, and all on the factions server do. */
function idle(server: Server, players: number): Game {
  return {
    current: server.name === LOBBY ? 0 : players,
    gamemode: server.name === FACTIONS ? 'factions' : '',
    current_map: '',
    next_map: '',
  };
}

function mapAfter({ rotation }: Programme, map: SampleMap): SampleMap {
  return rotation[(rotation.indexOf(map) + 1) % rotation.length]!;
}
