import { timestampOf } from '#demo/network/match/match.ts';
import { HOUR } from '../calendar.ts';
import type { Timed } from '../event-queue.ts';
import type { Bars, Network } from '../network.ts';
import { MERGED } from './players.ts';

/** The fraction of the history at which the person of `MERGED` changes from the one game account to the other. */
const AT = 0.6;
/** Longer than a session, so that the person is never online with both. */
const PAUSE = 6 * HOUR;

/** What these events need of the history. */
interface History {
  network: Network;
  now: number;
  /** The timestamp at a fraction of the history. */
  at: (fraction: number) => number;
}

/** Whether a player of `MERGED` is not the one with whom the person plays at a time. */
export const barsOfMerged =
  (at: History['at']): Bars =>
  ({ number }, time) =>
    number === MERGED.from ? time >= at(AT) : number === MERGED.into && time < at(AT) + PAUSE;

/** The operator merges the two game accounts. */
export function mergeEvents({ network, at, now }: History): Timed[] {
  const time = Math.min(at(AT) + PAUSE, now);
  const data = { from: network.players[MERGED.from]!.uuid, into: network.players[MERGED.into]!.uuid };
  return [{ time, event: { version: 1, id: 'merge', type: 'player.merged', time: timestampOf(time), data } }];
}
