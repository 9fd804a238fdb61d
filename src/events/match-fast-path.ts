import { isShownText } from '#platform/text.ts';
import { COUNTER_KEY, MAX_COUNTERS } from './schema/counters.ts';
import { MAX_PLAYERS, problemsOf } from './schema/match-rules.ts';
import type { OBJECTIVE_TYPES } from './schema/match-schema.ts';
import type { DataOf, EventOf } from './schema.ts';

/**
 * Parses a finished match in its usual form (timestamps in UTC with milliseconds, lower-case UUIDs with dashes, all valid)
 * with the same result as the schema, in an eighth of its CPU time: 25 µs instead of 200 for a match of 5.8 KB. For
 * any other input it returns undefined, and the schema decides. A test holds the two against each other.
 */
export function parseMatchFast(input: unknown): EventOf<'match.finished'> | undefined {
  if (!isPlain(input) || input['type'] !== 'match.finished' || input['version'] !== 1) return undefined;
  const { id, server } = input;
  const time = timestampOf(input['time']);
  if (!isText(id, 128, 1) || time === undefined || hasOthers(input, server === undefined ? 5 : 6)) return undefined;
  if (server !== undefined && !isText(server, 128, 1)) return undefined;
  const data = matchOf(input['data']);
  if (data === undefined) return undefined;
  return { version: 1, id, type: 'match.finished', time, ...(server === undefined ? {} : { server }), data };
}

type Match = DataOf<'match.finished'>;
type Team = Match['teams'][number];
type Player = Team['players'][number];
type Objective = Match['objectives'][number];
type Kill = Match['kills'][number];
type Plain = Record<string, unknown>;

const MAX = 1_000_000_000;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function matchOf(input: unknown): Match | undefined {
  if (!isPlain(input)) return undefined;
  const { map, gamemode, ranked = false, win = '', winners: won, objectives: raw = [], kills: killed = [] } = input;
  const [started, finished] = [timestampOf(input['started']), timestampOf(input['finished'])];
  if (!isText(map, 128, 1) || !isText(gamemode, 32, 1) || typeof ranked !== 'boolean' || !isText(win, 128, 0))
    return undefined;
  if (started === undefined || finished === undefined) return undefined;
  const teams = allOf(input['teams'], MAX_PLAYERS, teamOf);
  const winners = won === undefined ? undefined : allOf(won, MAX_PLAYERS, nameOf);
  if (won !== undefined && winners === undefined) return undefined;
  const objectives = allOf(raw, 2_000, objectiveOf);
  const kills = allOf(killed, 20_000, killOf);
  if (teams === undefined || objectives === undefined || kills === undefined) return undefined;
  const given = [input['ranked'], input['win'], won, input['objectives'], input['kills']];
  if (hasOthers(input, 5 + countGiven(given))) return undefined;
  const several = winners === undefined ? {} : { winners };
  const match = { map, gamemode, ranked, win, ...several, started, finished, teams, objectives, kills };
  return problemsOf(match).length === 0 ? match : undefined;
}

function teamOf(input: unknown): Team | undefined {
  if (!isPlain(input)) return undefined;
  const { name, score, kill_count, death_count, color } = input;
  if (color !== undefined && !isText(color, 32, 0)) return undefined;
  if (!isText(name, 128, 1) || !isOptional(score, -MAX) || !isOptional(kill_count, 0) || !isOptional(death_count, 0))
    return undefined;
  const players = allOf(input['players'], MAX_PLAYERS, playerOf);
  if (players === undefined || hasOthers(input, 2 + countGiven([score, kill_count, death_count, color])))
    return undefined;
  return {
    name,
    ...(score === undefined ? {} : { score }),
    ...(kill_count === undefined ? {} : { kill_count }),
    ...(death_count === undefined ? {} : { death_count }),
    ...(color === undefined ? {} : { color }),
    players,
  };
}

function playerOf(input: unknown): Player | undefined {
  if (!isPlain(input)) return undefined;
  const { uuid, name, score, kill_count, death_count, shot_count, hit_count, paint_count, time_played } = input;
  const { counters: raw, primary } = input;
  const counters = raw === undefined ? undefined : countersOf(raw);
  if (raw !== undefined && counters === undefined) return undefined;
  if (primary !== undefined && typeof primary !== 'boolean') return undefined;
  if (!isUuid(uuid) || !isText(name, 64, 1) || !isOptional(score, -MAX)) return undefined;
  if (!isOptional(kill_count, 0) || !isOptional(death_count, 0) || !isOptional(shot_count, 0)) return undefined;
  if (!isOptional(hit_count, 0) || !isOptional(paint_count, 0) || !isOptional(time_played, 0)) return undefined;
  const given = [score, kill_count, death_count, shot_count, hit_count, paint_count, time_played, raw, primary];
  if (hasOthers(input, 2 + countGiven(given))) return undefined;
  return {
    uuid,
    name,
    score: score ?? 0,
    kill_count: kill_count ?? 0,
    death_count: death_count ?? 0,
    shot_count: shot_count ?? 0,
    hit_count: hit_count ?? 0,
    paint_count: paint_count ?? 0,
    time_played: time_played ?? 0,
    ...(counters === undefined ? {} : { counters }),
    ...(primary === undefined ? {} : { primary }),
  };
}

function countersOf(input: unknown): Player['counters'] {
  if (!isPlain(input)) return undefined;
  const values: Record<string, number> = {};
  let count = 0;
  for (const key in input) {
    const value = input[key];
    if (!COUNTER_KEY.test(key) || !isWhole(value, 0) || ++count > MAX_COUNTERS) return undefined;
    values[key] = value;
  }
  return values;
}

const nameOf = (input: unknown): string | undefined => (isText(input, 128, 1) ? input : undefined);

const TYPES: ReadonlySet<unknown> = new Set([
  'wool',
  'core',
  'destroyable',
  'flag',
  'control_point',
  'other',
] satisfies (typeof OBJECTIVE_TYPES)[number][]);

function objectiveOf(input: unknown): Objective | undefined {
  if (!isPlain(input)) return undefined;
  const { player: by = null, team, type, name, color = '', percent } = input;
  const time = timestampOf(input['time']);
  const player = by === null ? null : namedOf(by);
  if (player === undefined || !isText(team, 128, 0) || !TYPES.has(type) || !isText(name, 128, 0)) return undefined;
  if (!isText(color, 32, 0) || time === undefined || !isPercent(percent)) return undefined;
  if (hasOthers(input, 4 + countGiven([input['player'], input['color'], percent]))) return undefined;
  const share = percent === undefined ? {} : { percent };
  return { player, team, type: type as Objective['type'], name, color, ...share, time };
}

function namedOf(input: unknown): { uuid: string; name: string } | undefined {
  if (!isPlain(input)) return undefined;
  const { uuid, name } = input;
  return isUuid(uuid) && isText(name, 64, 1) && !hasOthers(input, 2) ? { uuid, name } : undefined;
}

function killOf(input: unknown): Kill | undefined {
  if (!isPlain(input)) return undefined;
  const { killer = null, victim, location } = input;
  const time = timestampOf(input['time']);
  if ((killer !== null && !isUuid(killer)) || !isUuid(victim) || time === undefined) return undefined;
  if (hasOthers(input, 2 + countGiven([input['killer'], location]))) return undefined;
  if (location === undefined) return { killer, victim, time };
  const place = locationOf(location);
  return place === undefined ? undefined : { killer, victim, location: place, time };
}

function locationOf(input: unknown): Kill['location'] {
  if (!isPlain(input)) return undefined;
  const { world = '', x, y, z } = input;
  if (!isText(world, 64, 0) || !isCoordinate(x) || !isCoordinate(y) || !isCoordinate(z)) return undefined;
  return hasOthers(input, 3 + countGiven([input['world']])) ? undefined : { world, x, y, z };
}

function allOf<T>(input: unknown, most: number, read: (one: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(input) || input.length > most) return undefined;
  const all: T[] = [];
  for (const one of input) {
    const known = read(one);
    if (known === undefined) return undefined;
    all.push(known);
  }
  return all;
}

/** A plain object as JSON.parse creates it. */
function isPlain(input: unknown): input is Plain {
  return typeof input === 'object' && input !== null && Object.getPrototypeOf(input) === Object.prototype;
}

/** Whether an object has members beyond the expected number. */
function hasOthers(input: Plain, known: number): boolean {
  let count = 0;
  // oxlint-disable-next-line guard-for-in -- inherited members cannot occur in parsed JSON
  for (const _ in input) count++;
  return count !== known;
}

const countGiven = (members: unknown[]): number =>
  members.reduce((sum: number, one) => sum + (one === undefined ? 0 : 1), 0);

function isText(value: unknown, most: number, least: number): value is string {
  return typeof value === 'string' && value.length <= most && value.length >= least && isShownText(value);
}

/** Checks a UUID character by character: a third of the cost of a regular expression, paid once per player and match. */
function isUuid(value: unknown): value is string {
  if (typeof value !== 'string' || value.length !== UUID.length) return false;
  for (let place = 0; place < UUID.length; place++) {
    if (KINDS[value.charCodeAt(place)] !== UUID[place]) return false;
  }
  return true;
}

const [OTHER, DIGIT, DASH] = [0, 1, 2];
const kindOf = (character: string): number => (character === '-' ? DASH : /[0-9a-f]/.test(character) ? DIGIT : OTHER);
/** The kind of each ASCII character in a UUID: hexadecimal digit, dash, or none. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)));
const UUID = Uint8Array.from('00000000-0000-0000-0000-000000000000', kindOf);

const isWhole = (value: unknown, least: number): value is number =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= MAX;

const isBetween = (value: unknown, least: number, most: number): value is number =>
  Number.isFinite(value) && (value as number) >= least && (value as number) <= most;

const isCoordinate = (value: unknown): value is number => isBetween(value, -100_000_000, 100_000_000);

const isPercent = (value: unknown): value is number | undefined => value === undefined || isBetween(value, 0, 100);

const isOptional = (value: unknown, least: number): value is number | undefined =>
  value === undefined || isWhole(value, least);

function timestampOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !TIMESTAMP.test(value)) return undefined;
  const [year, month, day] = [digits(value, 0, 4), digits(value, 5, 7), digits(value, 8, 10)];
  const [hour, minute, second] = [digits(value, 11, 13), digits(value, 14, 16), digits(value, 17, 19)];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const timestamp = Date.UTC(year, month - 1, day, hour, minute, second, digits(value, 20, 23));
  const date = new Date(timestamp);
  const isThere = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isThere && year >= 1970 && year < LAST_YEAR ? timestamp : undefined;
}

function digits(text: string, start: number, end: number): number {
  let number = 0;
  for (let place = start; place < end; place++) number = number * 10 + text.charCodeAt(place) - CODE_OF_0;
  return number;
}

const CODE_OF_0 = 48;
/** In the year 9999 some days lie beyond the largest timestamp; the schema decides. */
const LAST_YEAR = 9999;
