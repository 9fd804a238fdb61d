import { output } from '#platform/output.ts';
import { untilSignalled } from '#platform/signals.ts';
import { startWatcher } from '#connectors/watch/watcher.ts';
import { listWatches } from '#store/game/watches/server-watches.ts';
import { type Command, withAppContext } from './command/command.ts';

export const commands: Command[] = [
  {
    words: 'watch',
    summary: 'Poll the game servers that `server watch` names, until SIGINT or SIGTERM',
    run: watch,
  },
];

async function watch(): Promise<void> {
  const signalled = untilSignalled();
  await withAppContext(async (context) => {
    const { length } = await listWatches(context.db);
    await using running = new AsyncDisposableStack();
    running.use(startWatcher(context));
    output().write(`ready\n${length} ${length === 1 ? 'server is' : 'servers are'} watched.\n`);
    await signalled;
  });
}
