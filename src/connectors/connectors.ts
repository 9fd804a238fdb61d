import { UsageError } from '#platform/errors.ts';
import { installed } from '#platform/process/installed.ts';
import type { AppContext } from '#context/context.ts';
import { tickEachSecond, type Ticking } from '#context/ticks.ts';

type Context = Pick<AppContext, 'db' | 'clock' | 'config' | 'log'>;

interface ConnectorKind {
  /** The folder that an installation may lack. */
  folder: string;
  open: (context: Context) => Promise<Ticking>;
  /** For the log. */
  failure: string;
}

const CONNECTORS: readonly ConnectorKind[] = [
  {
    folder: 'packages/watch',
    open: async (context) => (await import('./watch.ts')).createWatcher(context),
    failure: 'watching failed',
  },
  {
    folder: 'packages/management',
    open: async (context) => (await import('./management.ts')).createManagedServers(context),
    failure: 'managed servers failed',
  },
];

/**
 * Polls and follows game servers until it is disposed.
 * @param lacks called for each connector that is not installed, with an error that says how to install it; without it the
 *   error is thrown
 */
export async function startConnectors(context: Context, lacks?: (error: UsageError) => void): Promise<AsyncDisposable> {
  await using running = new AsyncDisposableStack();
  for (const { folder, open, failure } of CONNECTORS) {
    const connector = await installed(folder, () => open(context)).catch((error: unknown) => {
      if (lacks === undefined || !(error instanceof UsageError)) throw error;
      lacks(error);
    });
    if (connector === undefined) continue;
    running.use(tickEachSecond(connector, (error) => context.log.error({ err: error }, failure)));
  }
  return running.move();
}
