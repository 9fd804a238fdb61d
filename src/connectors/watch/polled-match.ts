import type { PolledMatch } from '#store/game/watches/server-watches.ts';
import type { GameStatus } from './status.ts';

/**
 * The match of an answer, compared with the one of the answer before. PGM tells a number, which begins again with the server,
 * and a duration in seconds, so both decide: a smaller duration under the same number is another match.
 * @param asked when the answer was true at the earliest, epoch milliseconds
 * @returns null where the server tells none, or only that one is over of which nothing else was seen
 */
export function polledMatch(before: PolledMatch | null, { match }: GameStatus, asked: number): PolledMatch | null {
  if (match === undefined) return null;
  const { number, phase, seconds } = match;
  if (phase === 'starting') return { number, started: null, seconds: 0 };
  const known = before?.number === number && seconds >= before.seconds ? before.started : null;
  // The duration of a match that is over no longer grows, so nothing tells when it began.
  if (phase === 'finished') return known === null ? null : { number, started: known, seconds };
  return { number, started: known ?? asked - seconds * 1000, seconds };
}

/** The report of a match that a poll has seen; undefined where there is none, or its map is unknown. */
export function progressIn(status: GameStatus, polled: PolledMatch | null): Record<string, unknown> | undefined {
  const { match, map, gamemode, playing } = status;
  if (match === undefined || polled === null || map === '') return undefined;
  return {
    phase: match.phase,
    map,
    gamemode,
    participants: playing,
    ...(match.observers === null ? {} : { observers: match.observers }),
    ...(polled.started === null ? {} : { started: new Date(polled.started).toISOString() }),
  };
}
