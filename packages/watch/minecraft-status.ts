import { uuidOf } from '../text/text.ts';
import { NAME } from '../text/player-name.ts';
import {
  type GameStatus,
  mapNameOf,
  MAX_ENTRIES,
  maxOf,
  MOST_PLAYERS,
  namesOf,
  PollFailed,
  playersOf,
  type StatusMatch,
} from './status.ts';

/** Servers put advertising into the list of names, too: mostly with blanks, or with the nil UUID. */
const PLAYER_NAME = new RegExp(`^${NAME}$`, 'u');
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads the JSON of a status response. PGM adds `bukkit_extra.pgm`: its match with the map, the next map and the number
 * of participants. Description and favicon are ignored.
 * @throws PollFailed if it is not a status
 */
export function readMinecraftStatus(json: string): GameStatus {
  const status = membersOf(parsed(json));
  if (status === undefined) throw new PollFailed('wrong_answer');
  // Paper leaves the numbers out of the status if a plugin hides them.
  const players = membersOf(status['players']) ?? {};
  if (players['online'] === undefined && !('version' in status)) throw new PollFailed('wrong_answer');
  const playerCount = playersOf(players['online']);
  const names = namesOf(players['sample'], playerCount, nameOf);
  const uuids = uuidsOf(players['sample']);
  return { playerCount, max: maxOf(players['max']), names, uuids, ...readMatch(status, playerCount) };
}

function uuidsOf(sample: unknown): ReadonlyMap<string, string> {
  const entries: unknown[] = Array.isArray(sample) ? sample.slice(0, MAX_ENTRIES) : [];
  return new Map(
    entries.flatMap((entry): [string, string][] => {
      const [name, id] = [nameOf(entry), membersOf(entry)?.['id']];
      const uuid = typeof id === 'string' ? uuidOf(id) : undefined;
      return typeof name === 'string' && uuid !== undefined ? [[name, uuid]] : [];
    }),
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new PollFailed('wrong_answer');
  }
}

function nameOf(entry: unknown): unknown {
  const { name, id } = membersOf(entry) ?? {};
  const isNil = typeof id === 'string' && uuidOf(id) === NIL_UUID;
  return typeof name === 'string' && PLAYER_NAME.test(name) && !isNil ? name : undefined;
}

type Played = Pick<GameStatus, 'playing' | 'tags' | 'map' | 'nextMap' | 'match'>;

/** Without PGM all connected players play, and the map is unknown. */
function readMatch(status: Members, playerCount: number): Played {
  const [number, match] = newestMatch(membersOf(membersOf(status['bukkit_extra'])?.['pgm']));
  if (match === undefined) return { playing: playerCount, tags: [], map: '', nextMap: '', match: undefined };
  const map = membersOf(match['map']);
  return {
    playing: Math.min(wholeOf(match['participants'], MOST_PLAYERS) ?? 0, playerCount),
    tags: tagsOf(map?.['tags']),
    map: mapNameOf(map?.['name']),
    nextMap: mapNameOf(membersOf(match['next_map'])?.['name']),
    match: matchOf(number, match),
  };
}

const MAX_TAGS = 50;

function tagsOf(tags: unknown): string[] {
  const list: unknown[] = Array.isArray(tags) ? tags.slice(0, MAX_TAGS) : [];
  return list.filter((tag) => typeof tag === 'string');
}

/** The phases of PGM and ours: an idle match waits for players. */
const PHASES = { idle: 'starting', starting: 'starting', running: 'running', finished: 'finished' } as const;
/** A match ends long before it has lasted for a week. */
const MOST_SECONDS = 7 * 86_400;

function matchOf(number: number, match: Members): StatusMatch | undefined {
  const { state, duration } = match;
  const seconds = wholeOf(duration, MOST_SECONDS);
  if (typeof state !== 'string' || !Object.hasOwn(PHASES, state) || seconds === undefined) return undefined;
  const phase = PHASES[state as keyof typeof PHASES];
  return { number, phase, seconds, observers: wholeOf(match['observers'], MOST_PLAYERS) ?? null };
}

function wholeOf(value: unknown, most: number): number | undefined {
  const isUsable = typeof value === 'number' && value >= 0 && value <= most;
  return isUsable ? Math.floor(value) : undefined;
}

/** PGM numbers its matches from 0 at each start; while it changes the map there may be two. */
function newestMatch(matches: Members | undefined): [number: number, match: Members | undefined] {
  const numbers = Object.keys(matches ?? {}).filter((id) => /^\d{1,9}$/.test(id));
  const newest = numbers.reduce((most, id) => Math.max(most, Number(id)), -1);
  return [newest, membersOf(matches?.[String(newest)])];
}

const membersOf = (value: unknown): Members | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
