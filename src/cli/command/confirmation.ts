import { UsageError } from '#platform/errors.ts';
import { type Command, type Input, print } from './command.ts';

/** The options of commands that take something away. */
export const CONFIRMATION: NonNullable<Command['options']> = {
  yes: { type: 'boolean', help: 'Do it' },
  'dry-run': { type: 'boolean', help: 'Only print what the command would change' },
};

/**
 * Decides whether a command continues. With `--dry-run` it prints the impact instead.
 * @param act a sentence that says what would change
 * @throws UsageError without `--yes`
 */
export function isConfirmed(input: Input, act: string, impact: Record<string, unknown>): boolean {
  if (input.values['dry-run'] === true) {
    print(input, { ...impact, dry_run: true });
    return false;
  }
  if (input.values['yes'] === true) return true;
  throw new UsageError(`${act} Add --yes to do it, or --dry-run to see what it would change.`);
}
