import { keyOf } from '#platform/ids.ts';
import { setCounted } from '#events/handlers/match-counting.ts';
import { match, person, sendEvents } from '#test/support/builders.ts';
import type { TestAppContext } from '#test/support/context.ts';
import type { Example, Twin } from './examples.ts';

interface MatchTwin extends Twin {
  id: string;
}

let players = 7_000;

async function played(context: TestAppContext, name: string): Promise<MatchTwin> {
  const scorer = { ...person(++players), kill_count: 3 };
  const teams = [{ name: 'Red', players: [scorer] }];
  const [id] = (await sendEvents(context, match({ map: name, teams }))) as [string];
  return { name, id, words: { [name]: 'NAME', [id]: 'ID' } };
}

const exclude: Example<MatchTwin> = {
  prepare: played,
  page: ({ id }) => ['/operator/warnings', { match: id, act: 'exclude' }],
  command: ({ id }) => ['match', 'exclude', '--match', id],
};

const count: Example<MatchTwin> = {
  prepare: async (context, name) => {
    const twin = await played(context, name);
    await setCounted(context.db, context.clock, keyOf(twin.id)!, false);
    return twin;
  },
  page: ({ id }) => ['/operator/warnings', { match: id, act: 'count' }],
  command: ({ id }) => ['match', 'count', '--match', id],
};

export const MATCH_EXAMPLES = { 'match.exclude': exclude, 'match.count': count };
