import { UsageError } from '#platform/errors.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import { setCounted } from '#events/handlers/match-counting.ts';
import { factsOf, type MatchHead, matchWithTeams } from '#store/game/matches.ts';
import { withoutFields } from './fields.ts';
import { ofOperators, operation, refuse, type Target, type Working } from './operation.ts';

const byMatchId: Target<MatchHead> = {
  option: 'match',
  value: 'ID',
  help: 'The id of the match, as the data API shows it',
  find: async (db, id) => {
    const match = await matchWithTeams(db, keyOf(id) ?? 0);
    if (match === undefined) throw new UsageError(`No match has the id ${id}.`);
    return match;
  },
};

/** Each of the two undoes the other. */
const onMatch = {
  ...ofOperators,
  ...withoutFields,
  target: byMatchId,
  subject: ({ key, head }: MatchHead) => ({ subject: idOf(key), label: factsOf(head).map }),
  changes: ['match'] as const,
  refused: {
    no_match: ({ key }: MatchHead) => `The match ${idOf(key)} is being withdrawn.`,
    unchanged: ({ key }: MatchHead) => `The match ${idOf(key)} is in that state already; see: scorehall match excluded`,
    busy: () => 'A job is open; try again when it has ended, see: scorehall job list',
  },
};

const setCountedTo =
  (counted: boolean) =>
  async ({ tx, clock }: Working, { key }: MatchHead) => {
    const refusal = await setCounted(tx, clock, key, counted);
    return refusal === undefined ? undefined : refuse(refusal);
  };

export const countMatch = operation({
  ...onMatch,
  name: 'match.count',
  summary: 'Count a match that was excluded because it has values that no game gives',
  run: setCountedTo(true),
});

export const excludeMatch = operation({
  ...onMatch,
  name: 'match.exclude',
  summary: 'Exclude a match from statistics, leaderboards and ranks; it stays in lists',
  run: setCountedTo(false),
});
