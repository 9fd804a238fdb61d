import type { AppContext } from '#context/context.ts';
import { unwatchServer, watchServer } from '#admin/servers.ts';
import { listWatches, type Watch, watchOf } from '#store/game/watches/server-watches.ts';
import { UsageError } from '#platform/errors.ts';
import { installed } from '#platform/process/installed.ts';
import { errorOutput } from '#platform/process/output.ts';
import { readGameAddress } from '#store/game/watches/game-address.ts';
import { type Command, reading, timestampOf } from './command/command.ts';
import { command } from './command/operation-command.ts';

export const watchCommands: Command[] = [
  reading('server watch list', 'List the watched servers with the outcome of the last poll', listAll),
  command(unwatchServer, 'server watch remove', { result: (_, { name }) => ({ name, watched: false }) }),
  command(watchServer, 'server watch', {
    result: async ({ db }, { key, name }) => {
      const watched = (await watchOf(db, key))!;
      await noteProblem(watched);
      return { name, ...wire(watched) };
    },
  }),
];

/** A host may get its record later, and the watcher may be installed later, so it is watched all the same. */
async function noteProblem({ address, protocol }: Watch): Promise<void> {
  const target = readGameAddress(address)!;
  try {
    const { isKnownHost } = await installed('packages/watch', () => import('#watch/minecraft-address.ts'));
    if (await isKnownHost(target, protocol)) return;
    errorOutput().write(
      `The host ${target.host} does not resolve now: it is polled all the same; is it spelt right?\n`,
    );
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    errorOutput().write(`${error.message}\n`);
  }
}

async function listAll({ db }: AppContext) {
  const rows = await listWatches(db);
  return rows.map(({ server, ...watched }) => ({ name: server, ...wire(watched) }));
}

function wire({ address, protocol, error, succeeded, playerCount, max }: Watch): Record<string, unknown> {
  return { address, protocol, last_success: timestampOf(succeeded), error, player_count: playerCount, max };
}
