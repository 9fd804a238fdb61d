import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { UsageError } from '#platform/errors.ts';
import { openAppContext } from '#context/context.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { countRanks } from '#store/game/teampvp-ranks.ts';
import { fill } from './fill.ts';
import type { FillOrder, FromFilling } from './filling.ts';
import { DemoFolder } from './folder.ts';
import { fillChart } from './presence.ts';

/** Entry of the process that fills the database of a demo (filling.ts), until it is complete or its parent disconnects. */

// A terminal sends it to all processes of the demo; the parent then disconnects.
process.on('SIGINT', () => undefined);
const [order] = (await once(process, 'message')) as [FillOrder];

function report(message: FromFilling): boolean {
  if (process.connected) process.send!(message, undefined, {}, () => undefined);
  return process.connected;
}

async function fillAll({ config, folder, wanted }: FillOrder): Promise<void> {
  await using context = await openAppContext(config);
  const { db, clock } = context;
  const sample = await fill(db, new DemoFolder(folder), wanted, (matches) => report({ matches }));
  while (process.connected && (await projectMatches(db, config.TIME_ZONE, clock.now()))) await setImmediate();
  while (process.connected && (await countRanks(db))) await setImmediate();
  if (process.connected) await fillChart(context, sample);
}

try {
  await fillAll(order);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  report({ refused: error.message });
}
if (process.connected) process.disconnect!();
