import { HOUR_MS, sumUsage, usageSince } from '#store/applications/usage.ts';
import type { Application } from '#store/applications/applications.ts';
import type { AppContext } from '#context/context.ts';
import { type Command, commandAbout, flag, type Input, option, timestampOf, wholeNumber } from '../command/command.ts';
import { byClientId } from '#admin/targets.ts';

const MAX_DAYS = 7;

export const commands: Command[] = [
  commandAbout(byClientId, 'usage', 'Show the requests of an application to the data API, by endpoint', usage, {
    days: option(
      'N',
      `The number of days to look back, at most ${MAX_DAYS} (default: ${MAX_DAYS})`,
      wholeNumber(1, MAX_DAYS),
    ),
    hourly: flag('One row per hour and endpoint'),
  }),
];

async function usage({ db, clock }: AppContext, { key }: Application, input: Input) {
  const days = input.number('days') ?? MAX_DAYS;
  const rows = await usageSince(db, key, clock.now() - days * 24 * HOUR_MS);
  if (input.has('hourly'))
    return rows.map(({ application_key: _, hour, ...row }) => ({ hour: timestampOf(hour), ...row }));
  const byEndpoint = [...Map.groupBy(rows, ({ endpoint }) => endpoint)];
  return byEndpoint.map(([endpoint, hours]) => ({ endpoint, ...sumUsage(hours) }));
}
