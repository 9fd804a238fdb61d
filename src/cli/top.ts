import { OTHERS, topRefusedSenders } from '#store/installation/refused-requests.ts';
import { type Command, type Input, JSON_OPTION, option, timestampOf, withAppContext } from './command/command.ts';

const MAX_LISTED = 50;
const LISTED = 10;

export const commands: Command[] = [
  {
    words: 'top',
    summary: 'List the senders of refused requests of the last hour: addresses, applications, servers, accounts',
    options: {
      limit: option('N', `How many of each kind, at most ${MAX_LISTED} (default: ${LISTED})`),
      json: JSON_OPTION,
    },
    run: top,
  },
];

/** A process adds its counts to the database every few seconds. */
async function top(input: Input): Promise<void> {
  const limit = input.wholeNumber('limit', 1, MAX_LISTED) ?? LISTED;
  await withAppContext(input, async ({ db, clock }) => {
    const senders = await topRefusedSenders(db, clock.now(), limit);
    input.print(
      senders.map(({ kind, sender, name, requests, statuses, since }) => ({
        ...{ kind, sender: sender === OTHERS ? 'others' : sender, name, refused: requests },
        statuses: statuses.map(([status, count]) => `${status}: ${count}`).join(', '),
        since: timestampOf(since),
      })),
    );
  });
}
