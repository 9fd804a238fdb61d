import { idOf } from '#platform/ids.ts';
import { setCounted } from '#events/handlers/match-counting.ts';
import { factsOf, type MatchHead } from '#store/game/matches.ts';
import { withoutFields } from './fields.ts';
import { operation, refuse, type Working } from './operation.ts';

const onMatch = {
  subject: ({ key, head }: MatchHead) => ({ subject: idOf(key), label: factsOf(head).map }),
  ...withoutFields,
  who: 'operator',
  // Each of the two undoes the other.
  loss: 'none',
  reauthenticate: 'never',
  changes: ['match'],
  impact: undefined,
} as const;

const setCountedTo =
  (counted: boolean) =>
  async ({ tx, clock }: Working, { key }: MatchHead) => {
    const refusal = await setCounted(tx, clock, key, counted);
    return refusal === undefined ? undefined : refuse(refusal);
  };

/** Counts a match that was excluded, for its values or by an operator. */
export const countMatch = operation({ name: 'match.count', ...onMatch, run: setCountedTo(true) });

/** Excludes a match from statistics, leaderboards and ranks; it stays in lists. */
export const excludeMatch = operation({ name: 'match.exclude', ...onMatch, run: setCountedTo(false) });
