import { MINUTE, dayStart } from './calendar.ts';
import type { SampleMap } from './maps.ts';
import { type Gamemode, modeOf } from './match/modes.ts';
import { Random } from './random.ts';
import { ARENAS, type Server } from './servers.ts';
import type { Session, PlayerStay } from './people/sessions.ts';

/** A scheduled match: server, map, time, and the players on the server meanwhile. */
export interface Fixture {
  id: string;
  server: Server;
  map: SampleMap;
  gamemode: Gamemode;
  started: number;
  finished: number;
  stays: PlayerStay[];
}

/** The matches of a server during a day, in order; `waiting` is the map that is loaded after the last one. */
export interface Programme {
  server: Server;
  fixtures: Fixture[];
  waiting: SampleMap;
  rotation: readonly SampleMap[];
}

/** A player who stays at least this long during a match takes part in it. */
const MIN_PARTICIPATION = 45_000;
/** A player counts for the start of a match if the stay continues for at least this long. */
const MIN_REMAINING_STAY = 90_000;

/** The matches of a day on every arena. A match starts as soon as enough players are on the server. */
export function programmesOf(
  seed: string,
  zone: string,
  day: number,
  sessions: readonly Session[],
  maps: readonly SampleMap[],
): Programme[] {
  const stays = sessions.flatMap((session) => session.stays);
  const [from, to] = [dayStart(zone, day), dayStart(zone, day + 1)];
  return ARENAS.map((server) => {
    const random = new Random(seed, 'programme', day, server.name);
    const here = stays.filter((stay) => stay.server === server.name && stay.to > from && stay.from < to);
    return scheduleServer(random, server, rotationOf(server, maps), here, { day, from, to });
  });
}

export function rotationOf(server: Server, maps: readonly SampleMap[]): SampleMap[] {
  return maps.filter((map) => map.servers.includes(server.name));
}

interface Span {
  day: number;
  from: number;
  to: number;
}

function scheduleServer(
  random: Random,
  server: Server,
  rotation: SampleMap[],
  stays: PlayerStay[],
  span: Span,
): Programme {
  const fixtures: Fixture[] = [];
  let turn = random.int(0, rotation.length - 1);
  let at = span.from + random.between(0, MINUTE);
  while (at < span.to) {
    const map = rotation[turn % rotation.length]!;
    const gamemode = chooseGamemode(random, server, map);
    const started = Math.floor(at + random.between(18_000, 32_000));
    const finished = Math.floor(started + random.between(...modeOf(gamemode).minutes) * MINUTE);
    if (stays.filter((stay) => stay.from <= at && stay.to > at + MIN_REMAINING_STAY).length < modeOf(gamemode).least) {
      at += MINUTE;
      continue;
    }
    if (finished >= span.to) break;
    const id = `${formatDate(span.day)}-${server.name.toLowerCase()}-${String(fixtures.length + 1).padStart(3, '0')}`;
    const present = stays.filter((stay) => overlap(stay, started, finished) >= MIN_PARTICIPATION);
    fixtures.push({
      id,
      server,
      map,
      gamemode,
      started,
      finished,
      stays: lastStayPerPlayer(present).slice(0, server.max),
    });
    turn++;
    at = finished + random.between(20_000, 70_000);
  }
  return { server, fixtures, waiting: rotation[turn % rotation.length]!, rotation };
}

/** A player who leaves and returns during a match takes part once. */
function lastStayPerPlayer(stays: readonly PlayerStay[]): PlayerStay[] {
  return [...new Map(stays.map((stay) => [stay.player, stay])).values()];
}

/** A map of several modes is mostly played in its first one. */
function chooseGamemode(random: Random, server: Server, map: SampleMap): Gamemode {
  const playable = map.gamemodes.filter((mode) => server.gamemodes.includes(mode));
  return playable.length > 1 && random.chance(0.3) ? playable[1]! : playable[0]!;
}

/** The milliseconds of the stay between the two times; negative if it is outside. */
export function overlap(stay: { from: number; to: number }, from: number, to: number): number {
  return Math.min(stay.to, to) - Math.max(stay.from, from);
}

function formatDate(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
