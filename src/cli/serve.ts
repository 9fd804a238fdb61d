import { environment, readConfig } from '#platform/config.ts';
import { output } from '#platform/output.ts';
import { openAppContext } from '#context/context.ts';
import { openServicesInThreads } from '#server/workers.ts';
import type { Command } from './command.ts';

export const commands: Command[] = [
  { words: 'serve', summary: 'Open every door and serve until told to stop (SIGINT, SIGTERM)', run: serve },
];

async function serve(): Promise<void> {
  const suspended = untilSignalled();
  await using context = await openAppContext(readConfig(environment()));
  await using services = await openServicesInThreads(context);
  for (const [service, address] of Object.entries(services.addresses)) context.log.info({ service, address }, 'open');
  output().write('ready\n');
  await suspended;
}

const STOPS = ['SIGINT', 'SIGTERM'] as const;
/** Ctrl-C may come twice: once from the terminal to the whole group, once forwarded by npm. */
const SAME_ORDER_MS = 1_500;

/** Settles at the first SIGINT or SIGTERM; one that comes later, while the house is closing, ends the process at once. */
export function untilSignalled(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let first: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (first === undefined) {
      first = performance.now();
      resolve();
    } else if (performance.now() - first > SAME_ORDER_MS) {
      for (const name of STOPS) process.off(name, stop);
      process.kill(process.pid, signal);
    }
  };
  for (const name of STOPS) process.on(name, stop);
  return promise;
}
