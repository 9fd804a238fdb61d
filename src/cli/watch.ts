import { amount } from '#text/amount.ts';
import { output } from '#platform/process/output.ts';
import { untilSignalled } from '#platform/process/signals.ts';
import { startConnectors } from '#connectors/connectors.ts';
import { listManaged } from '#store/game/watches/managed-servers.ts';
import { listWatches } from '#store/game/watches/server-watches.ts';
import { type Command, type Input, withAppContext } from './command/command.ts';

export const commands: Command[] = [
  {
    words: 'watch',
    summary: 'Poll and follow the servers of `server watch` and `server manage`, until SIGINT or SIGTERM',
    run: watch,
  },
];

async function watch(input: Input): Promise<void> {
  const signalled = untilSignalled();
  await withAppContext(input, async (context) => {
    const { length: watched } = await listWatches(context.db);
    const { length: managed } = await listManaged(context.db);
    await using running = new AsyncDisposableStack();
    running.use(await startConnectors(context));
    const more = managed === 0 ? '' : `${servers(managed)} managed.\n`;
    output().write(`ready\n${servers(watched)} watched.\n${more}`);
    await signalled;
  });
}

const servers = (count: number): string => amount(count, 'server is', 'servers are');
