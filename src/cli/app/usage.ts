import { HOUR_MS, sumUsage, usageSince } from '#store/applications/usage.ts';
import { type Command, flag, type Input, option, optionsOf, timestampOf, withAppContext } from '../command/command.ts';
import { byClientId } from '#admin/targets.ts';

const MAX_DAYS = 7;

export const commands: Command[] = [
  {
    words: 'usage',
    summary: 'Show the requests of an application to the data API, by endpoint',
    options: {
      ...optionsOf(byClientId),
      days: option('N', `The number of days to look back, at most ${MAX_DAYS} (default: ${MAX_DAYS})`),
      hourly: flag('One row per hour and endpoint'),
    },
    run: usage,
  },
];

async function usage(input: Input): Promise<void> {
  const days = input.wholeNumber('days', 1, MAX_DAYS) ?? MAX_DAYS;
  await withAppContext(input, async ({ db, clock }) => {
    const { key } = await input.find(byClientId, db);
    const rows = await usageSince(db, key, clock.now() - days * 24 * HOUR_MS);
    if (input.has('hourly')) {
      return input.print(rows.map(({ application_key: _, hour, ...row }) => ({ hour: timestampOf(hour), ...row })));
    }
    const byEndpoint = [...Map.groupBy(rows, ({ endpoint }) => endpoint)];
    input.print(byEndpoint.map(([endpoint, hours]) => ({ endpoint, ...sumUsage(hours) })));
  });
}
