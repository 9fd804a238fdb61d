import { sanitised } from '#platform/text.ts';
import type { MatchPhase } from '#store/game/live-matches.ts';
import type { PollReason } from '#store/game/watches/server-watches.ts';

/** What a game server says of itself, within bounds. */
export interface GameStatus {
  playerCount: number;
  max: number;
  /** Names of connected players: a sample of at most `MAX_NAMES`, never more than `playerCount`. */
  names: string[];
  /** Players taking part in the running game. */
  playing: number;
  gamemode: string;
  map: string;
  nextMap: string;
  /** The match as PGM reports it; undefined for all other servers. */
  match: StatusMatch | undefined;
}

export interface StatusMatch {
  /** PGM counts its matches from 0 at each start of the server. */
  number: number;
  phase: MatchPhase;
  /** How long it has been running, in whole seconds. */
  seconds: number;
  observers: number | null;
}

/** A poll without an answer that can be used. */
export class PollFailed extends Error {
  readonly reason: PollReason;

  constructor(reason: PollReason) {
    super(`The poll failed: ${reason}.`);
    this.reason = reason;
  }
}

export const MAX_NAMES = 200;
/** Entries that are looked at: a list of millions must not hold up the polls of other servers. */
const MAX_ENTRIES = 1_000;
const NAME_LENGTH = 64;
const MAP_LENGTH = 128;
/** More players than any server has. A larger number is a lie, and would distort the sum of the network. */
export const MOST_PLAYERS = 100_000;

/** @throws PollFailed where the number is none that a server can have */
export function playersOf(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_PLAYERS) return value;
  throw new PollFailed('wrong_answer');
}

/** The capacity is only shown, so that a wrong one counts as unknown, which is 0. */
export function maxOf(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? Math.min(value, 1_000_000_000) : 0;
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

/** Text of a stranger without the colour codes of the game, control characters and surrounding blanks; else empty. */
function cleaned(value: unknown, max: number): string {
  if (typeof value !== 'string') return '';
  const plain = value.slice(0, 4 * max).replaceAll(/§.?/gu, '');
  return sanitised(plain, max).replaceAll('\ufffd', '').trim();
}
