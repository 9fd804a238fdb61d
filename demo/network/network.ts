import { MINUTE, dayOf, dayStart } from './calendar.ts';
import { type SampleMap, sampleMaps } from './maps.ts';
import { drawMap } from './map-image/draw.ts';
import { type Player, samplePlayers } from './people/players.ts';
import { type Programme, programmesOf } from './schedule.ts';
import { type Session, sessionsOf } from './people/sessions.ts';

/** Whether a player may not join at a moment. */
export type Bars = (player: Player, time: number) => boolean;

/** A day of the network: who was on, and what was played. */
export interface Day {
  day: number;
  sessions: Session[];
  programmes: Programme[];
}

/** The invented network: everything about it follows from the seed, and every day from the seed and the date. */
export class Network {
  readonly seed: string;
  readonly zone: string;
  readonly players: readonly Player[];
  readonly maps: readonly SampleMap[];
  readonly #draw: typeof drawMap;
  readonly #sessions = new Map<number, Session[]>();

  constructor(seed: string, zone: string, draw: typeof drawMap = drawMap) {
    this.seed = seed;
    this.zone = zone;
    this.#draw = draw;
    this.players = samplePlayers(seed);
    this.maps = sampleMaps(seed, this.players);
  }

  /** The drawing of a map, as a PNG. */
  imageOf(map: SampleMap): Buffer {
    return this.#draw(this.seed, map);
  }

  dayOf(time: number): number {
    return dayOf(this.zone, time);
  }

  /**
   * Who is on during a day as the players' habits would have it, whoever is banned: sessions that begin on it, and those
   * of the night before that still run.
   */
  sessions(day: number): Session[] {
    const begin = dayStart(this.zone, day);
    const late = this.#begun(day - 1).filter(({ to }) => to > begin);
    const still = new Map(late.map(({ player, to }) => [player, to]));
    const fresh = this.#begun(day).filter(({ player, from }) => from > (still.get(player) ?? 0) + MINUTE);
    return [...late, ...fresh];
  }

  /** A day without those who are banned when they would join. */
  day(day: number, bars: Bars): Day {
    const sessions = this.sessions(day).filter(({ player, from }) => !bars(player, from));
    return { day, sessions, programmes: programmesOf(this.seed, this.zone, day, sessions, this.maps) };
  }

  #begun(day: number): Session[] {
    const known = this.#sessions.get(day);
    if (known !== undefined) return known;
    if (this.#sessions.size >= KEPT_DAYS) this.#sessions.clear();
    const sessions = sessionsOf(this.seed, this.zone, this.players, day);
    this.#sessions.set(day, sessions);
    return sessions;
  }
}

const KEPT_DAYS = 100;
