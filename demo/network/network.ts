import { MINUTE, dayOf, dayStart } from './calendar.ts';
import { type SampleMap, sampleMaps } from './maps.ts';
import { type Player, samplePlayers } from './people/players.ts';
import { type Programme, programmesOf } from './schedule.ts';
import { type Session, sessionsOf } from './people/sessions.ts';

/** Whether a player is banned at a time. */
export type Bars = (player: Player, time: number) => boolean;

/** A day of the network: its sessions and matches. */
export interface Day {
  day: number;
  sessions: Session[];
  programmes: Programme[];
}

/** The invented network. It depends only on the seed, and each of its days on the seed and the date. */
export class Network {
  readonly seed: string;
  readonly zone: string;
  readonly players: readonly Player[];
  readonly maps: readonly SampleMap[];
  readonly #sessions = new Map<number, Session[]>();

  constructor(seed: string, zone: string) {
    this.seed = seed;
    this.zone = zone;
    this.players = samplePlayers(seed);
    this.maps = sampleMaps(seed, this.players);
  }

  dayOf(time: number): number {
    return dayOf(this.zone, time);
  }

  /** The sessions of a day, bans ignored: those that start on it, and those of the previous day that continue. */
  sessions(day: number): Session[] {
    const begin = dayStart(this.zone, day);
    const continued = this.#sessionsStartingOn(day - 1).filter(({ to }) => to > begin);
    const ends = new Map(continued.map(({ player, to }) => [player, to]));
    const starting = this.#sessionsStartingOn(day).filter(
      ({ player, from }) => from > (ends.get(player) ?? 0) + MINUTE,
    );
    return [...continued, ...starting];
  }

  /** A day without the sessions of players who are banned at their start. */
  day(day: number, bars: Bars): Day {
    const sessions = this.sessions(day).filter(({ player, from }) => !bars(player, from));
    return { day, sessions, programmes: programmesOf(this.seed, this.zone, day, sessions, this.maps) };
  }

  #sessionsStartingOn(day: number): Session[] {
    const cached = this.#sessions.get(day);
    if (cached !== undefined) return cached;
    if (this.#sessions.size >= MAX_CACHED_DAYS) this.#sessions.clear();
    const sessions = sessionsOf(this.seed, this.zone, this.players, day);
    this.#sessions.set(day, sessions);
    return sessions;
  }
}

const MAX_CACHED_DAYS = 100;
