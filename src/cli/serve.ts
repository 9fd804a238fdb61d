import { environment, readConfig } from '#platform/config.ts';
import { output } from '#platform/output.ts';
import { openAppContext } from '#context/context.ts';
import { openServicesInThreads } from '#server/workers.ts';
import type { Command } from './command.ts';

export const commands: Command[] = [
  { words: 'serve', summary: 'Start all services and serve until SIGINT or SIGTERM', run: serve },
];

async function serve(): Promise<void> {
  const signalled = untilSignalled();
  await using context = await openAppContext(readConfig(environment()));
  await using services = await openServicesInThreads(context);
  for (const [service, address] of Object.entries(services.addresses)) context.log.info({ service, address }, 'open');
  context.log.info({ service: 'INTERNAL', address: services.internal }, 'open');
  output().write('ready\n');
  await signalled;
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Ctrl-C may arrive twice: from the terminal, which signals the whole process group, and forwarded by npm. */
const SAME_SIGNAL_MS = 1_500;

/** Settles at the first SIGINT or SIGTERM. A further signal during the shutdown ends the process immediately. */
export function untilSignalled(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let first: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (first === undefined) {
      first = performance.now();
      resolve();
    } else if (performance.now() - first > SAME_SIGNAL_MS) {
      for (const name of STOP_SIGNALS) process.off(name, stop);
      process.kill(process.pid, signal);
    }
  };
  for (const name of STOP_SIGNALS) process.on(name, stop);
  return promise;
}
