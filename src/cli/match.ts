import { UsageError } from '#platform/errors.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import { countMatch, excludeMatch } from '#admin/matches.ts';
import type { AppContext } from '#context/context.ts';
import { isExcluded, listExcluded } from '#store/game/excluded-matches.ts';
import { factsOf, matchWithTeams, type MatchHead } from '#store/game/matches.ts';
import { type Command, inContext, JSON_OPTION, mandatory, timestampOf } from './command/command.ts';
import { command, type RowOption } from './command/operation-command.ts';

const byId: RowOption<MatchHead> = {
  options: {
    match: mandatory('ID', 'The id of the match, as the data API shows it'),
    json: JSON_OPTION,
  },
  find: async ({ db }, input) => {
    const id = input.required('match');
    const match = await matchWithTeams(db, keyOf(id) ?? 0);
    if (match === undefined) throw new UsageError(`No match has the id ${id}.`);
    return match;
  },
};

const refused = {
  no_match: ({ key }: MatchHead) => `The match ${idOf(key)} is being withdrawn.`,
  unchanged: ({ key }: MatchHead) => `The match ${idOf(key)} is in that state already; see: scorehall match excluded`,
  busy: () => 'A job is open; try again when it has ended, see: scorehall job list',
};
const result = async ({ db }: AppContext, { key }: MatchHead) => ({
  match: idOf(key),
  excluded: await isExcluded(db, key),
});

const MAX_LISTED = 1_000;

export const commands: Command[] = [
  {
    words: 'match excluded',
    summary: 'List the matches that count in no statistics, leaderboards and ranks, newest first',
    options: { json: JSON_OPTION },
    run: inContext(excluded),
  },
  command(countMatch, {
    words: 'match count',
    summary: 'Count a match that was excluded because it has values that no game gives',
    ...{ row: byId, options: {}, refused, result },
  }),
  command(excludeMatch, {
    words: 'match exclude',
    summary: 'Exclude a match from statistics, leaderboards and ranks; it stays in lists',
    ...{ row: byId, options: {}, refused, result },
  }),
];

async function excluded({ db }: AppContext) {
  const matches = await listExcluded(db, Number.MAX_SAFE_INTEGER, MAX_LISTED);
  const rows = matches.map(({ key, head, finished }) => {
    const { map, server, gamemode } = factsOf(head);
    return { id: idOf(key), map, server, gamemode, finished: timestampOf(finished) };
  });
  return rows;
}
