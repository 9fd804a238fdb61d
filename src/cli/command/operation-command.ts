import type { z } from 'zod';
import { UsageError } from '#platform/errors.ts';
import { fieldsFrom, isOptional, kindOf } from '#admin/fields.ts';
import {
  type AnyOperation,
  type Done,
  type FieldOption,
  type Loss,
  type Operation,
  perform,
  type Question,
  type Target,
} from '#admin/operation.ts';
import type { AppContext } from '#context/context.ts';
import { reasonAbout } from '#events/schema/problems.ts';
import {
  type Command,
  commandActor,
  type CommandOption,
  type Input,
  JSON_OPTION,
  oneOf,
  optionsOf,
  withAppContext,
  flag,
} from './command.ts';

/** How a command finds what it acts on, if its operation does not say it. */
export interface RowOption<Row> {
  options: Record<string, CommandOption>;
  /** @throws UsageError if there is none */
  find(context: AppContext, input: Input): Promise<Row>;
}

interface Asked {
  /** What the operation changes: `This revokes 2 keys.` */
  act: string;
  /** What a dry run prints. */
  impact: Record<string, unknown>;
}

/** What a command adds to its operation. */
interface Wording<Row, Fields extends z.ZodObject, Result> {
  begins?: true;
  row?: RowOption<Row>;
  /** The values of the fields, if they are not those of the options. */
  read?(input: Input): Record<string, unknown> | Promise<Record<string, unknown>>;
  /** The sentence about options that do not go together. */
  together?: string;
  /** The option that a place in the event is about, if it is not a field. */
  optionAbout?: (place: string) => string;
  /** What the command prints; it may wait for a job of the operation. */
  result(
    context: AppContext,
    row: Row,
    result: Done<Result>,
    fields: z.output<Fields>,
  ): Record<string, unknown> | Promise<Record<string, unknown>>;
}

/** What a command without `--yes` says, and a dry run prints. */
type Confirm<Row, Fields extends z.ZodObject, Impact> = (
  row: Row,
  impact: Done<Impact>,
  fields: z.output<Fields>,
) => Asked;

/**
 * The command of an operation. It needs `--yes` if the operation takes something away. What it finds is the row of the
 * operation, and perhaps what its question says.
 */
export function command<Row, Found extends Row, Fields extends z.ZodObject, Impact, Result, L extends Loss>(
  operation: Operation<Row, Fields, Impact, Result, L>,
  words: string,
  wording: Wording<Found, Fields, Result> & Question<L, Confirm<Found, Fields, Impact>>,
): Command {
  const { summary, target } = operation;
  const { begins, row = rowOf(target) as RowOption<Found>, optionAbout } = wording;
  const { confirm }: { confirm?: Confirm<Found, Fields, Impact> } = wording;
  return {
    ...{ words, summary, operations: [operation], ...(begins && { begins }) },
    options: { ...row.options, ...fieldOptions(operation), ...(confirm && CONFIRMATION) },
    run: async (input) => {
      const fields = await readFields(input, operation, wording);
      await withAppContext(input, async (context) => {
        const found = await row.find(context, input);
        const question = (impact: Done<Impact>): true | undefined => {
          const { act, impact: shown } = confirm?.(found, impact, fields) ?? {};
          return act === undefined || isConfirmed(input, act, shown!) ? undefined : true;
        };
        const outcome = await attempt(operation, context, found, fields, { question, optionAbout });
        if ('done' in outcome) input.print(await wording.result(context, found, outcome.done, fields));
      });
    },
  };
}

function rowOf<Row>(target: Target<Row> | undefined): RowOption<Row | undefined> {
  if (target === undefined) return { options: { json: JSON_OPTION }, find: async () => undefined };
  return { options: optionsOf(target), find: ({ db }, input) => input.find(target, db) };
}

/** @throws UsageError with the sentence of a refusal */
async function attempt<Row, Fields extends z.ZodObject, Impact, Result>(
  operation: Operation<Row, Fields, Impact, Result>,
  context: AppContext,
  row: Row,
  fields: z.output<Fields>,
  {
    question,
    optionAbout = (place) => optionOf(operation, place),
  }: { question?: (impact: Done<Impact>) => true | undefined; optionAbout?: ((place: string) => string) | undefined },
): Promise<{ done: Done<Result> } | { asked: true }> {
  const outcome = await perform(operation, { ...context, actor: commandActor() }, row, fields, question);
  if ('refused' in outcome) throw new UsageError(operation.refused[outcome.refused](row, fields));
  if (!('rejected' in outcome)) return outcome;
  throw new UsageError(reasonAbout(`--${optionAbout(outcome.rejected.place)}`, outcome.rejected));
}

/** Carries an operation out for a command by hand or for `apply`. @throws UsageError with the sentence of a refusal */
export async function performOrThrow<Row, Fields extends z.ZodObject, Impact, Result>(
  operation: Operation<Row, Fields, Impact, Result>,
  context: AppContext,
  row: Row,
  fields: z.output<Fields>,
  optionAbout?: (place: string) => string,
): Promise<Done<Result>> {
  const outcome = await attempt(operation, context, row, fields, { optionAbout });
  return (outcome as { done: Done<Result> }).done;
}

const fieldOption = (option: string | FieldOption): FieldOption =>
  typeof option === 'string' ? { help: option } : option;

function optionOf({ options }: Pick<AnyOperation, 'options'>, field: string): string {
  const option = (options as Record<string, string | FieldOption>)[field];
  return (option && fieldOption(option).name) ?? field.replaceAll('_', '-');
}

/** The options of the fields, of which the type and whether they are required follow. */
export function fieldOptions(operation: Pick<AnyOperation, 'fields' | 'options'>): Record<string, CommandOption> {
  const { shape } = operation.fields;
  const entries = Object.entries(operation.options).map(([field, given]): [string, CommandOption] => {
    const { name: _, ...option } = fieldOption(given);
    // A boolean with a value is `yes|no`, because it can be left out.
    const type = kindOf(shape[field]!) === 'boolean' && option.value === undefined ? 'boolean' : 'string';
    const required = isOptional(shape[field]!) ? {} : { required: true as const };
    const form = option.value === 'yes|no' ? { form: oneOf(['yes', 'no']) } : {};
    return [optionOf(operation, field), { type, ...option, ...required, ...form }];
  });
  return Object.fromEntries(entries);
}

/** The option of a field that a command by hand can do without. */
export const optional = ({ required: _, ...option }: CommandOption): CommandOption => option;

/** @throws UsageError about the first option that is wrong */
export async function readFields<Fields extends z.ZodObject>(
  input: Input,
  operation: { fields: Fields; options: AnyOperation['options'] },
  { read: values, together }: Pick<Wording<never, Fields, unknown>, 'read' | 'together'> = {},
): Promise<z.output<Fields>> {
  const { fields } = operation;
  const entered = Object.keys(fields.shape).map((field) => [field, input.values[optionOf(operation, field)]]);
  const { data, error } = fields.safeParse(
    fieldsFrom(fields, (await values?.(input)) ?? (Object.fromEntries(entered) as Record<string, unknown>)),
  );
  const issue = error?.issues[0];
  if (issue === undefined) return data as z.output<Fields>;
  const [field] = issue.path;
  throw new UsageError(
    field === undefined ? (together ?? issue.message) : `--${optionOf(operation, String(field))} ${issue.message}.`,
  );
}

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
