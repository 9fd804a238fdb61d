import { MINUTE, dayStart } from './calendar.ts';
import type { SampleMap } from './maps.ts';
import { type Gamemode, modeOf } from './match/modes.ts';
import { Random } from './random.ts';
import { ARENAS, type Server } from './servers.ts';
import type { Session, PlayerStay } from './people/sessions.ts';

/** A match that takes place: where, when, what, and who is on the server meanwhile. */
export interface Fixture {
  id: string;
  server: Server;
  map: SampleMap;
  gamemode: Gamemode;
  started: number;
  finished: number;
  visits: PlayerStay[];
}

/** What a server plays through a day, one match after the other; `waiting` is the map that stands after the last. */
export interface Programme {
  server: Server;
  fixtures: Fixture[];
  waiting: SampleMap;
  rotation: readonly SampleMap[];
}

const SEEN = 45_000;
const PATIENCE = 90_000;

/** The matches of a day on every arena, from who is there: a match starts as soon as enough players wait for it. */
export function programmesOf(
  seed: string,
  zone: string,
  day: number,
  sessions: readonly Session[],
  maps: readonly SampleMap[],
): Programme[] {
  const stays = sessions.flatMap((session) => session.visits);
  const [from, to] = [dayStart(zone, day), dayStart(zone, day + 1)];
  return ARENAS.map((server) => {
    const random = new Random(seed, 'programme', day, server.name);
    const here = stays.filter((request) => request.server === server.name && request.to > from && request.from < to);
    return programmeOf(random, server, rotationOf(server, maps), here, { day, from, to });
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

function programmeOf(
  random: Random,
  server: Server,
  rotation: SampleMap[],
  sessions: PlayerStay[],
  span: Span,
): Programme {
  const fixtures: Fixture[] = [];
  let turn = random.int(0, rotation.length - 1);
  let at = span.from + random.between(0, MINUTE);
  while (at < span.to) {
    const map = rotation[turn % rotation.length]!;
    const gamemode = gamemodeOf(random, server, map);
    const started = Math.floor(at + random.between(18_000, 32_000));
    const finished = Math.floor(started + random.between(...modeOf(gamemode).minutes) * MINUTE);
    if (
      sessions.filter((request) => request.from <= at && request.to > at + PATIENCE).length < modeOf(gamemode).least
    ) {
      at += MINUTE;
      continue;
    }
    if (finished >= span.to) break;
    const id = `${dateOf(span.day)}-${server.name.toLowerCase()}-${String(fixtures.length + 1).padStart(3, '0')}`;
    const present = sessions.filter((request) => overlap(request, started, finished) >= SEEN);
    fixtures.push({
      id,
      server,
      map,
      gamemode,
      started,
      finished,
      visits: oncePerPlayer(present).slice(0, server.max),
    });
    turn++;
    at = finished + random.between(20_000, 70_000);
  }
  return { server, fixtures, waiting: rotation[turn % rotation.length]!, rotation };
}

/** Who comes back while a match runs has played it once. */
function oncePerPlayer(sessions: readonly PlayerStay[]): PlayerStay[] {
  return [...new Map(sessions.map((request) => [request.player, request])).values()];
}

/** A map of several modes is mostly played in its first one. */
function gamemodeOf(random: Random, server: Server, map: SampleMap): Gamemode {
  const playable = map.gamemodes.filter((mode) => server.gamemodes.includes(mode));
  return playable.length > 1 && random.chance(0.3) ? playable[1]! : playable[0]!;
}

/** Milliseconds of the visit that fall between the two moments. */
export function overlap(request: { from: number; to: number }, from: number, to: number): number {
  return Math.min(request.to, to) - Math.max(request.from, from);
}

function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
