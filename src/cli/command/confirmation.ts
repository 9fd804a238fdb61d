import { UsageError } from '#platform/errors.ts';
import { type Command, flag, type Input } from './command.ts';

/** The options of commands that take something away. */
export const CONFIRMATION: NonNullable<Command['options']> = {
  yes: flag('Do it'),
  'dry-run': flag('Only print what the command would change'),
};

/**
 * Decides whether a command continues. With `--dry-run` it prints the impact instead.
 * @param act a sentence that says what would change
 * @throws UsageError without `--yes`
 */
export function isConfirmed(input: Input, act: string, impact: Record<string, unknown>): boolean {
  if (input.has('dry-run')) {
    input.print({ ...impact, dry_run: true });
    return false;
  }
  if (input.has('yes')) return true;
  throw new UsageError(`${act} Add --yes to do it, or --dry-run to see what it would change.`);
}
