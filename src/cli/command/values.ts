import { UsageError } from '#platform/errors.ts';
import { type Input, optional } from './command.ts';

/** The value of an option with a closed list of values; undefined if it is not given. @throws UsageError */
export function oneOf<T extends string>(input: Input, name: string, allowed: readonly T[]): T | undefined {
  const text = optional(input, name);
  const value = allowed.find((one) => one === text);
  if (text === undefined || value !== undefined) return value;
  throw new UsageError(`--${name} must be one of ${allowed.join(', ')} (it is "${text}").`);
}

export function yesOrNo(input: Input, name: string): boolean | undefined {
  const value = oneOf(input, name, ['yes', 'no']);
  return value === undefined ? undefined : value === 'yes';
}

/** The value of an option that is a whole number; undefined if it is not given. @throws UsageError */
export function wholeNumber(input: Input, name: string, least: number, most: number): number | undefined {
  const text = optional(input, name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^-?\d{1,12}$/.test(text) && number >= least && number <= most) return number;
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most} (it is "${text}").`);
}

/** A timestamp as commands print it. */
export function timestampOf<T extends number | null>(ms: T): string | T {
  return ms === null ? ms : new Date(ms).toISOString();
}
