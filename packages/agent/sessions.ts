import type { Event } from '../sender/index.ts';
import { mapSlug } from '../text/map-slug.ts';
import type { LogPosition, TimedLine } from './log-reader.ts';

/** The state of the server according to the log up to a position. */
export interface LogState {
  position?: LogPosition;
  /** The UUIDs of the players who are on the server, by name. */
  online: Record<string, string>;
  /** The players who passed the authentication and have not logged in yet, by name. Earlier versions stored UUIDs alone. */
  identities: Record<string, Identity | string>;
  running: boolean;
  /** The name of PGM's map if it is known, otherwise its id. */
  map: string;
  /** The names of PGM's maps by their ids, as far as the log announced them. */
  mapNames?: Record<string, string>;
  /** Whether a line had a meaning; undefined in states of earlier versions. */
  understood?: boolean;
  /** The time of the last line. */
  time: number;
  /** When a player typed `/link`, in the last minute, by UUID. */
  attempts: Record<string, number[]>;
}

interface Identity {
  uuid: string;
  /** When the log assigned the UUID to the name. */
  time: number;
}

export const newLogState = (): LogState => ({
  online: {},
  identities: {},
  running: true,
  map: '',
  time: 0,
  attempts: {},
});

const MAX_IDENTITIES = 1_000;
/** A login follows within seconds. Later, another player may have the name. */
const IDENTITY_MS = 60_000;
const MAX_MAP_NAMES = 500;
const MAX_ATTEMPTS = 3;
const ATTEMPTS_MS = 60_000;

export interface SessionOptions {
  /** Report `/link CODE`. */
  trustLinks: boolean;
  /** Report logins and logouts; false if a plugin does. */
  reportSessions: boolean;
}

export const isOnline = (state: LogState, name: string): boolean => own(state.online, name) !== undefined;

/** Applies a line to the state and returns its events. `uuid` is that of the player of a login. */
export function applyLine(
  state: LogState,
  { line, offset, time }: TimedLine,
  file: string,
  { trustLinks, reportSessions }: SessionOptions,
  uuid?: string,
): Event[] {
  const before = state.time;
  state.time = time;
  if (line.kind !== 'other') state.understood = true;
  const session = (type: 'player.login' | 'player.logout', name: string, uuid: string, at = time): Event[] =>
    reportSessions ? [eventOf(`log:${file}:${offset}:${uuid}`, type, at, { player: { uuid, name } })] : [];
  const logOutAll = (at: number): Event[] => {
    const left = Object.entries(state.online);
    state.online = {};
    return left.flatMap(([name, uuid]) => session('player.logout', name, uuid, at));
  };
  switch (line.kind) {
    case 'identity':
      remember(state.identities, line.name, { uuid: line.uuid, time }, MAX_IDENTITIES);
      return [];
    case 'login':
      delete state.identities[line.name];
      if (uuid === undefined) return [];
      put(state.online, line.name, uuid);
      return session('player.login', line.name, uuid);
    case 'logout': {
      const left = own(state.online, line.name);
      delete state.online[line.name];
      return left === undefined ? [] : session('player.logout', line.name, left);
    }
    case 'link': {
      const player = own(state.online, line.name);
      if (!trustLinks || player === undefined || !mayTry(state, player, time)) return [];
      const data = { player: { uuid: player, name: line.name }, code: line.code };
      return [eventOf(`log:${file}:${offset}:link`, 'account.link', time, data)];
    }
    case 'map':
      state.map = own(state.mapNames ?? {}, line.map) ?? line.map;
      return [];
    case 'next_map':
      remember((state.mapNames ??= {}), mapSlug(line.name), line.name, MAX_MAP_NAMES);
      return [];
    case 'starting':
      // The previous server process was killed; its players left at the time of its last line.
      state.running = true;
      state.map = '';
      return logOutAll(before === 0 ? time : before);
    case 'stopping':
      state.running = false;
      return logOutAll(time);
    case 'other':
      return [];
  }
}

/** The UUID of a login at `time` by the log; undefined if usercache.json has to be read. */
export function uuidOfLogin(state: LogState, name: string, time: number): string | undefined {
  const identity = own(state.identities, name);
  return typeof identity === 'object' && time - identity.time <= IDENTITY_MS ? identity.uuid : undefined;
}

/** Records an entry as the newest one, and drops the oldest above `max`. */
function remember<T>(entries: Record<string, T>, key: string, value: T, max: number): void {
  delete entries[key];
  put(entries, key, value);
  const keys = Object.keys(entries);
  if (keys.length > max) delete entries[keys[0]!];
}

function mayTry(state: LogState, uuid: string, time: number): boolean {
  for (const [player, times] of Object.entries(state.attempts)) {
    const recent = times.filter((at) => Math.abs(time - at) < ATTEMPTS_MS);
    if (recent.length === 0) delete state.attempts[player];
    else state.attempts[player] = recent;
  }
  const attempts = own(state.attempts, uuid) ?? [];
  if (attempts.length >= MAX_ATTEMPTS) return false;
  state.attempts[uuid] = [...attempts, time];
  return true;
}

/** Sets a member whose name may be `__proto__`, which an assignment would take for the prototype. */
const put = <T>(record: Record<string, T>, name: string, value: T): unknown =>
  Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true });

/** `Object.hasOwn`, because a name may be that of an inherited member, such as `constructor`. */
const own = <T>(record: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

export function eventOf<T extends Event['type']>(
  id: string,
  type: T,
  time: number,
  data: Extract<Event, { type: T }>['data'],
): Event {
  return { version: 1, id, type, time: new Date(time).toISOString(), data } as Event;
}
