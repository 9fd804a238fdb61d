import { UsageError } from '#platform/errors.ts';
import type { AppContext } from '#context/context.ts';
import type { WireEvent } from '#events/schema/index.ts';
import type { Finding } from '#importers/index.ts';
import { type CommandOption, flag, type Input, JSON_OPTION } from '../command/command.ts';
import { ImportReport } from './import-report.ts';
import { runImport, tryImport } from './run.ts';

export const ONCE_OPTIONS: Record<string, CommandOption> = {
  'dry-run': flag('Check everything without changing anything; other writes wait until the check ends'),
  json: JSON_OPTION,
};

/**
 * Imports all findings, or tries to with `--dry-run`, and reports them.
 * @throws UsageError if everything was refused, for scripts that do not read the report
 */
export async function importOnce(
  input: Input,
  { db, clock }: AppContext,
  findings: AsyncIterable<Finding<WireEvent>>,
  source: string,
): Promise<void> {
  const report = new ImportReport(input);
  const outcome = await (input.has('dry-run') ? tryImport : runImport)(db, clock, findings, report);
  report.end(outcome);
  const { taken, unchanged, refused } = outcome;
  if (taken === 0 && unchanged === 0 && refused > 0)
    throw new UsageError(`Nothing was imported from ${source}: everything was refused (${refused}), see above.`);
}
