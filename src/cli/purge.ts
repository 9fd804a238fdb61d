import { UsageError } from '#platform/errors.ts';
import { purgeNow } from '#server/jobs.ts';
import { isClockSuspect, lastRun } from '#store/installation/job-runs.ts';
import { carryOut, type Command, type Input, JSON_OPTION, print, withAppContext } from './command/command.ts';

export const commands: Command[] = [
  {
    words: 'purge',
    audit: { action: 'database.purge', about: 'time' },
    summary: 'Delete expired rows now; the service does this every ten minutes',
    options: {
      confirm: {
        type: 'boolean',
        help: 'Confirm that the clock of this machine is right, when a purge is paused because the clock jumped ahead',
      },
      json: JSON_OPTION,
    },
    run: purge,
  },
];

async function purge(input: Input): Promise<void> {
  await withAppContext(input, async (context) => {
    const now = context.clock.now();
    const time = new Date(now).toISOString();
    const last = await lastRun(context.db, 'purge');
    if (input.values['confirm'] !== true && isClockSuspect(last, now)) {
      throw new UsageError(
        `The clock says ${time}, more than a day after the last purge (${new Date(last!).toISOString()}). ` +
          'If the clock is right, run: scorehall purge --confirm',
      );
    }
    await carryOut(input, context, async () => ({ time }));
    await purgeNow(context);
    print(input, { purged: true, time, last: last === undefined ? null : new Date(last).toISOString() });
  });
}
