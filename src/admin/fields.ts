import { z } from 'zod';
import { readTime } from '#text/time.ts';

/** Fields of operations. The message of a problem is the second half of a sentence: `must be a whole number from 0 to 9`. */

const given = ({ input }: { input?: unknown }): string => `(it is "${String(input)}")`;

export function wholeNumber(least: number, most: number): z.ZodInt {
  const error = (issue: { input?: unknown }): string =>
    `must be a whole number from ${least} to ${most} ${given(issue)}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

export function oneOf<const Value extends string>(values: readonly Value[]): z.ZodEnum<{ [V in Value]: V }> {
  return z.enum(values, { error: (issue) => `must be one of ${values.join(', ')} ${given(issue)}` });
}

/** A text that `read` makes a value of, or undefined. */
export const readable = <Value>(read: (text: string) => Value | undefined, forms: string) =>
  z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: `must be ${forms} ${given({ input: text })}` });
    return z.NEVER;
  });

/** For an operation that needs nothing besides its row. */
export const withoutFields = { fields: z.strictObject({}), options: {}, detail: () => ({}) };

/** A point in time, as epoch milliseconds. */
export const time = readable(readTime, 'a time like 2026-01-31T12:00:00Z');

type Kind = 'text' | 'number' | 'boolean';

/** What a field is, whether it may be left out or not. */
export function kindOf(field: z.core.$ZodType): Kind {
  const { def } = field as z.ZodType;
  if ('innerType' in def) return kindOf(def.innerType as z.core.$ZodType);
  return def.type === 'number' || def.type === 'boolean' ? def.type : 'text';
}

export const isOptional = (field: z.core.$ZodType): boolean => z.safeParse(field, undefined).success;

/** The fields of texts that somebody entered. A text that is no number stays one, and the field refuses it. */
export function fieldsFrom(fields: z.ZodObject, entered: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const input = Object.entries(fields.shape).map(([name, field]) => {
    const value = entered[name];
    const isNumber = kindOf(field) === 'number' && typeof value === 'string' && /^-?\d{1,12}$/.test(value);
    return [name, isNumber ? Number(value) : value];
  });
  return Object.fromEntries(input.filter(([, value]) => value !== undefined)) as Record<string, unknown>;
}
