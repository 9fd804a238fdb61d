import type { AppContext } from '#context/context.ts';
import { UsageError } from '#platform/errors.ts';
import { purgeNow } from '#server/jobs.ts';
import { isClockSuspect, lastRun } from '#store/installation/job-runs.ts';
import { carryOut, type Command, flag, inContext, type Input, JSON_OPTION } from './command/command.ts';

export const commands: Command[] = [
  {
    words: 'purge',
    audit: { action: 'database.purge', about: 'time' },
    summary: 'Delete expired rows now; the service does this every ten minutes',
    options: {
      confirm: flag(
        'Confirm that the clock of this machine is right, when a purge is paused because the clock jumped ahead',
      ),
      json: JSON_OPTION,
    },
    run: inContext(purge),
  },
];

async function purge(context: AppContext, input: Input) {
  const now = context.clock.now();
  const time = new Date(now).toISOString();
  const last = await lastRun(context.db, 'purge');
  if (!input.has('confirm') && isClockSuspect(last, now)) {
    throw new UsageError(
      `The clock says ${time}, more than a day after the last purge (${new Date(last!).toISOString()}). ` +
        'If the clock is right, run: scorehall purge --confirm',
    );
  }
  await carryOut(input, context, async () => ({ time }));
  await purgeNow(context);
  return { purged: true, time, last: last === undefined ? null : new Date(last).toISOString() };
}
