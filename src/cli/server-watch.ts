import { UsageError } from '#platform/errors.ts';
import { GAME_ADDRESS_FORMS, gameAddressText, readGameAddress } from '#store/game/watches/game-address.ts';
import {
  listWatches,
  removeWatch,
  setWatch,
  targetProblem,
  type Watch,
  WATCH_PROTOCOLS,
  type WatchTarget,
  watchOf,
} from '#store/game/watches/server-watches.ts';
import {
  type Command,
  type Input,
  JSON_OPTION,
  print,
  printTable,
  required,
  SERVER,
  withAppContext,
} from './command/command.ts';
import { oneOf, timestampOf } from './command/values.ts';
import { requireServer } from './server-name.ts';

export const watchCommands: Command[] = [
  {
    words: 'server watch list',
    summary: 'List the watched servers with the outcome of the last poll',
    options: { json: JSON_OPTION },
    run: listAll,
  },
  {
    words: 'server watch remove',
    audit: { action: 'server.watch.remove', about: 'name' },
    summary: 'Stop watching a server',
    options: SERVER,
    run: remove,
  },
  {
    words: 'server watch',
    audit: { action: 'server.watch.set', about: 'name' },
    summary: 'Poll a server by the protocol of its game: who is online, and which map it plays',
    options: {
      ...SERVER,
      address: { type: 'string', value: 'HOST:PORT', help: `Where players connect, or its query port`, required: true },
      protocol: { type: 'string', help: `One of ${WATCH_PROTOCOLS.join(', ')} (default: minecraft)` },
    },
    run: watch,
  },
];

async function watch(input: Input): Promise<void> {
  const target = readTarget(input);
  await withAppContext(input, async ({ db }) => {
    const { key, name } = await requireServer(db, input);
    await setWatch(db, key, target);
    print(input, { name, ...wire((await watchOf(db, key))!) });
  });
}

/** @throws UsageError */
function readTarget(input: Input): WatchTarget {
  const text = required(input, 'address');
  const protocol = oneOf(input, 'protocol', WATCH_PROTOCOLS) ?? 'minecraft';
  const address = readGameAddress(text);
  if (address === undefined) throw new UsageError(`--address must be ${GAME_ADDRESS_FORMS} (it is "${text}").`);
  const problem = targetProblem(address, protocol);
  if (problem !== undefined) throw new UsageError(`--address ${problem}.`);
  return { address: gameAddressText(address), protocol };
}

async function remove(input: Input): Promise<void> {
  await withAppContext(input, async ({ db }) => {
    const { key, name } = await requireServer(db, input);
    if (!(await removeWatch(db, key))) throw new UsageError(`${name} is not watched; see: scorehall server watch list`);
    print(input, { name, watched: false });
  });
}

async function listAll(input: Input): Promise<void> {
  await withAppContext(input, async ({ db }) => {
    const rows = await listWatches(db);
    printTable(
      input,
      rows.map(({ server, ...watched }) => ({ name: server, ...wire(watched) })),
    );
  });
}

function wire({ address, protocol, error, succeeded, playerCount, max }: Watch): Record<string, unknown> {
  return { address, protocol, last_success: timestampOf(succeeded), error, player_count: playerCount, max };
}
