import { uuidOf } from '../text/text.ts';
import { withoutObjection } from '../text/ban-reason.ts';
import { LAST_TIMESTAMP, readTime } from '../text/time.ts';
import { fit, unstyled } from '../text/line.ts';
import { NAME_WITH_BLANKS } from '../text/player-name.ts';
import { ConnectionLost, type OnlinePlayer } from './core.ts';

/** The messages of the protocol. All others, IP bans in particular, are neither requested nor parsed. */

export interface Ban {
  uuid: string;
  /** Empty if the entry has no name of a player. */
  name: string;
  reason: string;
  /** The name of the punisher, or a word that the server uses instead. */
  source: string;
  expires: number | null;
  /** The entry of the list. */
  entry: object;
  /** Its reason, with what was added to it. */
  listedReason: string;
}

/** The reports of a server, in the order in which they happened. */
export type Report =
  | { kind: 'joined' | 'left'; player: OnlinePlayer }
  | { kind: 'banned'; ban: Ban }
  | { kind: 'unbanned'; uuid: string }
  | { kind: 'players'; players: OnlinePlayer[] }
  /** Entries for `banOf`, which reads them in slices because a list of 10,000 takes long. */
  | { kind: 'bans'; entries: readonly unknown[] }
  | { kind: 'stopping' };

/** The requests, with the kinds of report that their results become. */
export const REQUESTS = { players: 'minecraft:players', bans: 'minecraft:bans' } as const;
export type Request = keyof typeof REQUESTS;

/** Adds entries to the list of bans; an entry of the same player is replaced. Answered with the whole list. */
export const ADD_BANS = 'minecraft:bans/add';

/** Above the number of players of any server. */
const MAX_PLAYERS = 5_000;
const MAX_BANS = 100_000;
const MAX_REASON = 2_000;

const PLAYER_NAME = new RegExp(`^${NAME_WITH_BLANKS}$`, 'u');

/** The report of a notification; undefined for other notifications. @throws ConnectionLost */
export function readNotification(method: string, params: unknown): Report | undefined {
  switch (method.replace('minecraft:notification/', '')) {
    case 'players/joined':
      return playerReport('joined', params);
    case 'players/left':
      return playerReport('left', params);
    case 'bans/added': {
      const ban = banOf(parameter(params, 'player'));
      return ban && { kind: 'banned', ban };
    }
    case 'bans/removed': {
      const uuid = uuidIn(parameter(params, 'player'));
      return uuid === undefined ? undefined : { kind: 'unbanned', uuid };
    }
    case 'server/stopping':
      return { kind: 'stopping' };
    default:
      return undefined;
  }
}

/** The report of a result. Invalid entries are left out. @throws ConnectionLost */
export function readResult(request: Request, result: unknown): Report {
  if (!Array.isArray(result)) throw new ConnectionLost('wrong_answer');
  if (request === 'players') {
    if (result.length > MAX_PLAYERS) throw new ConnectionLost('too_many_players');
    return { kind: 'players', players: distinct(result.flatMap((one) => parsePlayer(one) ?? [])) };
  }
  if (result.length > MAX_BANS) throw new ConnectionLost('too_large');
  return { kind: 'bans', entries: result };
}

const distinct = (list: readonly OnlinePlayer[]): OnlinePlayer[] => [
  ...new Map(list.map((one) => [one.uuid, one])).values(),
];

function playerReport(kind: 'joined' | 'left', params: unknown): Report | undefined {
  const player = parsePlayer(parameter(params, 'player'));
  return player && { kind, player };
}

/** JSON-RPC passes parameters by position or by name. */
function parameter(params: unknown, name: string): unknown {
  return Array.isArray(params) ? (params[0] as unknown) : memberOf(params, name);
}

function parsePlayer(value: unknown): OnlinePlayer | undefined {
  const uuid = uuidIn(value);
  const name = nameIn(value);
  return uuid === undefined || name === '' ? undefined : { uuid, name };
}

/** Undefined for an invalid entry. */
export function banOf(value: unknown): Ban | undefined {
  const player = memberOf(value, 'player');
  const uuid = uuidIn(player);
  if (uuid === undefined) return undefined;
  const expires = expiresIn(memberOf(value, 'expires'));
  const listedReason = textIn(value, 'reason');
  const reason = fit(unstyled(withoutObjection(listedReason).slice(0, 2 * MAX_REASON)), MAX_REASON);
  const source = textIn(value, 'source').slice(0, 64);
  return { uuid, name: nameIn(player), reason, source, expires, entry: value as object, listedReason };
}

/** Null for a ban without an end, or with an end that is invalid or later than an event can express. */
function expiresIn(value: unknown): number | null {
  if (typeof value !== 'string' || value.length > 64) return null;
  const time = readTime(value);
  return time !== undefined && time >= 0 && time < LAST_TIMESTAMP ? time : null;
}

function uuidIn(value: unknown): string | undefined {
  const text = textIn(value, 'id');
  return text.length > 36 ? undefined : uuidOf(text);
}

function nameIn(value: unknown): string {
  const text = textIn(value, 'name');
  return PLAYER_NAME.test(text) ? text : '';
}

function textIn(value: unknown, name: string): string {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : '';
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
