import { HOUR_MS, sumUsage, usageSince } from '#store/applications/usage.ts';
import { CLIENT, type Command, type Input, printTable, required, withAppContext } from '../command/command.ts';
import { requireApplication } from '../command/lookup.ts';
import { timestampOf, wholeNumber } from '../command/values.ts';

const MAX_DAYS = 7;

export const commands: Command[] = [
  {
    words: 'usage',
    summary: 'Show the requests of an application to the data API, by endpoint',
    options: {
      ...CLIENT,
      days: {
        type: 'string',
        value: 'N',
        help: `The number of days to look back, at most ${MAX_DAYS} (default: ${MAX_DAYS})`,
      },
      hourly: { type: 'boolean', help: 'One row per hour and endpoint' },
    },
    run: usage,
  },
];

async function usage(input: Input): Promise<void> {
  const clientId = required(input, 'client-id');
  const days = wholeNumber(input, 'days', 1, MAX_DAYS) ?? MAX_DAYS;
  await withAppContext(input, async ({ db, clock }) => {
    const { key } = await requireApplication(db, clientId);
    const rows = await usageSince(db, key, clock.now() - days * 24 * HOUR_MS);
    if (input.values['hourly'] === true) {
      return printTable(
        input,
        rows.map(({ application_key: _, hour, ...row }) => ({ hour: timestampOf(hour), ...row })),
      );
    }
    const byEndpoint = [...Map.groupBy(rows, ({ endpoint }) => endpoint)];
    printTable(
      input,
      byEndpoint.map(([endpoint, hours]) => ({ endpoint, ...sumUsage(hours) })),
    );
  });
}
