import { UsageError } from '#platform/errors.ts';
import { HOUR_MS, sumOf, usageSince } from '#store/applications/usage.ts';
import {
  type Command,
  type Input,
  JSON_OPTION,
  optional,
  printTable,
  required,
  withAppContext,
} from '../command/command.ts';
import { requireApplication } from '../command/lookup.ts';

const MAX_DAYS = 7;

export const commands: Command[] = [
  {
    words: 'usage',
    summary: 'Show the requests of an application to the data API, by endpoint',
    options: {
      'client-id': { type: 'string', value: 'ID', help: 'The Client ID of the application' },
      days: {
        type: 'string',
        value: 'N',
        help: `The number of days to look back, at most ${MAX_DAYS} (default: ${MAX_DAYS})`,
      },
      hourly: { type: 'boolean', help: 'One row per hour and endpoint' },
      json: JSON_OPTION,
    },
    run: usage,
  },
];

async function usage(input: Input): Promise<void> {
  const clientId = required(input, 'client-id');
  const days = optional(input, 'days') ?? String(MAX_DAYS);
  if (!/^[1-7]$/.test(days)) throw new UsageError(`--days must be a whole number from 1 to 7 (it is "${days}").`);
  await withAppContext(async ({ db, clock }) => {
    const { key } = await requireApplication(db, clientId);
    const rows = await usageSince(db, key, clock.now() - Number(days) * 24 * HOUR_MS);
    if (input.values['hourly'] === true) {
      return printTable(
        input,
        rows.map(({ application_key: _, hour, ...row }) => ({ hour: new Date(hour).toISOString(), ...row })),
      );
    }
    const byEndpoint = [...Map.groupBy(rows, ({ endpoint }) => endpoint)];
    printTable(
      input,
      byEndpoint.map(([endpoint, hours]) => ({ endpoint, ...sumOf(hours) })),
    );
  });
}
