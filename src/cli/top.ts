import { OTHERS, topRefusedSenders } from '#store/installation/refused-requests.ts';
import type { AppContext } from '#context/context.ts';
import { type Command, type Input, option, reading, timestampOf, wholeNumber } from './command/command.ts';

const MAX_LISTED = 50;
const LISTED = 10;

export const commands: Command[] = [
  reading(
    'top',
    'List the senders of refused requests of the last hour: addresses, applications, servers, accounts',
    top,
    {
      limit: option(
        'N',
        `How many of each kind, at most ${MAX_LISTED} (default: ${LISTED})`,
        wholeNumber(1, MAX_LISTED),
      ),
    },
  ),
];

/** A process adds its counts to the database every few seconds. */
async function top({ db, clock }: AppContext, input: Input) {
  const limit = input.number('limit') ?? LISTED;
  const senders = await topRefusedSenders(db, clock.now(), limit);
  return senders.map(({ kind, sender, name, requests, statuses, since }) => ({
    ...{ kind, sender: sender === OTHERS ? 'others' : sender, name, refused: requests },
    statuses: statuses.map(([status, count]) => `${status}: ${count}`).join(', '),
    since: timestampOf(since),
  }));
}
