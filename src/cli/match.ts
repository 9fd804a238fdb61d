import { idOf } from '#platform/ids.ts';
import { countMatch, excludeMatch } from '#admin/matches.ts';
import type { AppContext } from '#context/context.ts';
import { isExcluded, listExcluded } from '#store/game/excluded-matches.ts';
import { factsOf, type MatchHead } from '#store/game/matches.ts';
import { type Command, reading, timestampOf } from './command/command.ts';
import { command } from './command/operation-command.ts';

const result = async ({ db }: AppContext, { key }: MatchHead) => ({
  match: idOf(key),
  excluded: await isExcluded(db, key),
});

const MAX_LISTED = 1_000;

export const commands: Command[] = [
  reading(
    'match excluded',
    'List the matches that count in no statistics, leaderboards and ranks, newest first',
    excluded,
  ),
  command(countMatch, 'match count', { result }),
  command(excludeMatch, 'match exclude', { result }),
];

async function excluded({ db }: AppContext) {
  const matches = await listExcluded(db, Number.MAX_SAFE_INTEGER, MAX_LISTED);
  const rows = matches.map(({ key, head, finished }) => {
    const { map, server, gamemode } = factsOf(head);
    return { id: idOf(key), map, server, gamemode, finished: timestampOf(finished) };
  });
  return rows;
}
