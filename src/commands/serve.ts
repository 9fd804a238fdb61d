import { once } from 'node:events';
import { openHouse } from '#app.ts';
import { environment, readConfig } from '#base/config.ts';
import { openHall } from '#hall.ts';
import { startUpkeep } from '#upkeep.ts';
import type { Command } from './command.ts';

export const commands: Command[] = [
  { words: 'serve', summary: 'Open every door and serve until told to stop (SIGINT, SIGTERM)', run: serve },
];

async function serve(): Promise<void> {
  const stopped = untilStopped();
  await using hall = await openHall(readConfig(environment()));
  await using house = await openHouse(hall);
  await using tasks = new AsyncDisposableStack();
  tasks.use(startUpkeep(hall));
  for (const [door, address] of Object.entries(house.addresses)) hall.log.info({ door, address }, 'open');
  process.stdout.write('ready\n');
  await stopped;
}

/** Settles at the first SIGINT or SIGTERM; at a second one Node's default ends the process. */
export async function untilStopped(): Promise<void> {
  const stop = new AbortController();
  await Promise.race(['SIGINT', 'SIGTERM'].map((name) => once(process, name, { signal: stop.signal })));
  stop.abort();
}
