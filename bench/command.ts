import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from '#platform/errors.ts';

/**
 * Runs a command for developers. `--help` prints its usage; a UsageError is printed without a stack trace, and the process
 * exits with 2.
 */
export async function runCommand(usage: string, main: (args: string[]) => Promise<void>): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage);
    return;
  }
  try {
    await main(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}

/** @throws UsageError with the usage for an unknown option, or one without its value */
export function readOptions<Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage}`);
  }
}

/**
 * @returns the number, undefined if the option is not set
 * @throws UsageError if it is not a number above 0, or of the kind `whole` not a whole number
 */
export function numberOption(
  name: string,
  value: string | undefined,
  kind: 'whole' | 'any' = 'whole',
): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (number > 0 && number <= Number.MAX_SAFE_INTEGER && (kind === 'any' || Number.isInteger(number))) return number;
  const expected = kind === 'any' ? 'a number above 0' : 'a whole number above 0';
  throw new UsageError(`--${name} must be ${expected} (it is "${value}").`);
}
