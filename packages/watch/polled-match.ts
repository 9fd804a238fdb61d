import type { PolledMatch } from './core.ts';
import type { GameStatus } from './status.ts';

/**
 * The match of an answer, compared with that of the previous answer. PGM reports a number, which restarts with the
 * server, and a duration in seconds. Both identify a match: a smaller duration under the same number is another match.
 * @param asked the earliest time of the answer's state, epoch milliseconds
 * @returns null if the server reports none, or only the end of one that was not observed before
 */
export function polledMatch(before: PolledMatch | null, { match }: GameStatus, asked: number): PolledMatch | null {
  if (match === undefined) return null;
  const { number, phase, seconds } = match;
  if (phase === 'starting') return { number, started: null, seconds: 0 };
  const known = before?.number === number && seconds >= before.seconds ? before.started : null;
  // The duration of an ended match no longer grows, so its beginning is unknown.
  if (phase === 'finished') return known === null ? null : { number, started: known, seconds };
  return { number, started: known ?? asked - seconds * 1000, seconds };
}

/** The report of an observed match; undefined if there is none, or its map is unknown. */
export function progressIn(
  status: GameStatus,
  gamemode: string,
  polled: PolledMatch | null,
): Record<string, unknown> | undefined {
  const { match, map, playing } = status;
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
