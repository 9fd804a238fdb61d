import { environment, readConfig } from '#platform/config.ts';
import { output } from '#platform/output.ts';
import { openAppContext } from '#context/context.ts';
import { openServicesInThreads } from '#server/workers.ts';
import type { Command } from './command.ts';
import { untilSignalled } from '#platform/signals.ts';

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
