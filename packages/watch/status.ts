import { sanitised } from '../text/text.ts';
import type { PollReason } from './core.ts';

/** The status of a game server, with bounded values. */
export interface GameStatus {
  playerCount: number;
  max: number;
  /** Names of connected players: a sample of at most `MAX_NAMES`, never more than `playerCount`. */
  names: string[];
  /** The UUIDs of these players by name, as far as the protocol has them. */
  uuids?: ReadonlyMap<string, string>;
  /** Players taking part in the running game. */
  playing: number;
  /** PGM's tags of the map. */
  tags: readonly string[];
  map: string;
  nextMap: string;
  /** The match as PGM reports it; undefined for all other servers. */
  match: StatusMatch | undefined;
}

export interface StatusMatch {
  /** PGM counts its matches from 0 at each start of the server. */
  number: number;
  phase: 'starting' | 'running' | 'finished';
  /** How long it has been running, in whole seconds. */
  seconds: number;
  observers: number | null;
}

/** A poll without a usable answer. */
export class PollFailed extends Error {
  readonly reason: PollReason;

  constructor(reason: PollReason) {
    super(`The poll failed: ${reason}.`);
    this.reason = reason;
  }
}

export const MAX_NAMES = 200;
/** Maximum entries that are read: a list of millions must not delay the polls of other servers. */
export const MAX_ENTRIES = 1_000;
const NAME_LENGTH = 64;
const MAP_LENGTH = 128;
/** Above the number of players of any server. A larger number is false, and would distort the sum of the network. */
export const MOST_PLAYERS = 100_000;

/** A count as games send it, also as text; undefined if there is none. */
export function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\s*-?\d{1,15}\s*$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && !Number.isNaN(count) ? count : undefined;
}

/** A server that answers without a number is online all the same. @throws PollFailed if the number is not plausible */
export function playersOf(value: unknown): number {
  const count = countOf(value) ?? 0;
  if (Number.isInteger(count) && count >= 0 && count <= MOST_PLAYERS) return count;
  throw new PollFailed('wrong_answer');
}

/** The capacity is only shown, so that a wrong one counts as unknown, which is 0. */
export function maxOf(value: unknown): number {
  const count = countOf(value) ?? 0;
  return Number.isInteger(count) && count > 0 ? Math.min(count, 1_000_000_000) : 0;
}

/** Distinct names among the entries, at most `players` and `MAX_NAMES`. */
export function namesOf(entries: unknown, players: number, nameOf: (entry: unknown) => unknown): string[] {
  const names = new Set<string>();
  const most = Math.min(players, MAX_NAMES);
  for (const entry of Array.isArray(entries) ? entries.slice(0, MAX_ENTRIES) : []) {
    const name = cleaned(nameOf(entry), NAME_LENGTH);
    if (name !== '' && names.size < most) names.add(name);
  }
  return [...names];
}

export const mapNameOf = (value: unknown): string => cleaned(value, MAP_LENGTH);

/**
 * Untrusted text without the game's colour codes, control characters and surrounding blanks; empty for other values.
 */
function cleaned(value: unknown, max: number): string {
  if (typeof value !== 'string') return '';
  const plain = value.slice(0, 4 * max).replaceAll(/§.?/gu, '');
  return sanitised(plain, max).replaceAll('\ufffd', '').trim();
}
