import { HOUR, MINUTE, dayStart, isWeekend } from '../calendar.ts';
import type { Player } from './players.ts';
import { Random } from '../random.ts';
import { LOBBY, SERVERS } from '../servers.ts';

/** The stay of a player on one server. */
export interface PlayerStay {
  player: Player;
  server: string;
  from: number;
  to: number;
}

/** A player's session from login to logout: stays in the lobby and on other servers. */
export interface Session {
  player: Player;
  from: number;
  to: number;
  stays: PlayerStay[];
}

/** The activity in each hour, from six in the morning; it peaks in the evening. */
const HOURS = [
  1, 1.3, 1.8, 2.4, 3, 3.6, 4, 4.6, 5.5, 7, 8.5, 10.5, 12.5, 14.5, 15, 13, 10, 7, 4.2, 2.5, 1.6, 1.2, 1, 0.9,
];
const WEEKEND_HOURS = [
  0.9, 1.2, 2.2, 4, 6, 7.5, 8.5, 9.5, 10.5, 11, 11.5, 12, 13, 14, 14.5, 14, 11.5, 8.5, 6, 4, 2.6, 1.8, 1.3, 1,
];

/** The exponent of a server's weight for each hour: with few players online, they gather on the popular servers. */
const GATHERING = HOURS.map((weight) => (weight < 4 ? 2.4 : weight < 9 ? 1.6 : 1));

/** The sessions that start on a day. They depend only on the seed, the players and the day. */
export function sessionsOf(seed: string, zone: string, players: readonly Player[], day: number): Session[] {
  const featured = new Featured(seed, day);
  const begin = dayStart(zone, day);
  return players
    .flatMap((player) => playerSessions(new Random(seed, 'day', day, player.number), player, { day, begin, featured }))
    .sort((a, b) => a.from - b.from);
}

/** Features a smaller arena for some hours, during which players are more likely to choose it. */
class Featured {
  readonly #servers: readonly number[];

  constructor(seed: string, day: number) {
    const random = new Random(seed, 'featured', day);
    const smaller = SERVERS.flatMap(({ pull }, place) => (pull > 10 && pull < 20 ? [place] : []));
    this.#servers = Array.from({ length: 24 / SLOT_HOURS }, () => random.pick(smaller));
  }

  factor(server: number, hour: number): number {
    return this.#servers[Math.floor(hour / SLOT_HOURS)] === server ? 4 : 1;
  }
}

const SLOT_HOURS = 3;

interface Frame {
  day: number;
  begin: number;
  featured: Featured;
}

function playerSessions(random: Random, player: Player, frame: Frame): Session[] {
  const count = Math.min(3, random.count(player.activity * (isWeekend(frame.day) ? player.weekend : 1)));
  const sessions: Session[] = [];
  for (let number = 0; number < count; number++) {
    const session = newSession(random, player, frame);
    const meets = (other: Session): boolean => session.from < other.to + MINUTE && other.from < session.to + MINUTE;
    if (!sessions.some(meets)) sessions.push(session);
  }
  return sessions;
}

function newSession(random: Random, player: Player, frame: Frame): Session {
  const popular = random.weighted(isWeekend(frame.day) ? WEEKEND_HOURS : HOURS) + random.next();
  const hour = (popular + player.shift + 24) % 24;
  const minutes = Math.min(300, Math.max(8, player.sessionMinutes * Math.exp(0.5 * random.normal())));
  const from = Math.floor(frame.begin + hour * HOUR);
  const to = Math.floor(from + minutes * MINUTE);
  const choose = (): string => chosenServer(random, player, frame.featured, hour);
  return { player, from, to, stays: splitIntoStays(random, player, from, to, choose) };
}

function splitIntoStays(random: Random, player: Player, from: number, to: number, choose: () => string): PlayerStay[] {
  const stays: PlayerStay[] = [];
  let at = from;
  while (at < to) {
    const idle = Math.min(to, Math.floor(at + random.between(0.4, random.chance(0.15) ? 9 : 2.5) * MINUTE));
    stays.push({ player, server: LOBBY, from: at, to: idle });
    const stay = to - idle > 70 * MINUTE ? random.between(30, 60) * MINUTE : to - idle;
    const left = to - idle - stay < 15 * MINUTE ? to : Math.floor(idle + stay);
    if (idle < left) stays.push({ player, server: choose(), from: idle, to: left });
    at = Math.max(left, idle);
  }
  return stays;
}

function chosenServer(random: Random, player: Player, featured: Featured, hour: number): string {
  const power = GATHERING[Math.floor(hour)]!;
  const weights = player.tastes.map((weight, server) => (weight * featured.factor(server, hour)) ** power);
  return SERVERS[random.weighted(weights)]!.name;
}
