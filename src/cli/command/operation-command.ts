import type { z } from 'zod';
import { UsageError } from '#platform/errors.ts';
import { fieldsFrom, isOptional, kindOf } from '#admin/fields.ts';
import { type CodeOf, type Done, type Loss, type Operation, perform, type Question } from '#admin/operation.ts';
import type { AppContext } from '#context/context.ts';
import { reasonAbout } from '#events/schema/problems.ts';
import { type Command, commandActor, type CommandOption, type Input, withAppContext } from './command.ts';
import { CONFIRMATION, isConfirmed } from './confirmation.ts';

/** How a command names what it acts on: `--name Alpha`. */
export interface RowOption<Row> {
  options: Record<string, CommandOption>;
  /** @throws UsageError if there is none */
  find(context: AppContext, input: Input): Promise<Row>;
}

/** The option of a field. Its type and whether it is required follow from the field. */
interface FieldOption {
  /** The name of the option, if it is not that of the field. */
  name?: string;
  value?: string;
  help: string;
  mayBeEmpty?: true;
}

interface Asked {
  /** What the operation changes: `This revokes 2 keys.` */
  act: string;
  /** What a dry run prints. */
  impact: Record<string, unknown>;
}

/** What a command says, and how. */
interface Wording<Row, Fields extends z.ZodObject, Impact, Result> {
  words: string;
  summary: string;
  begins?: true;
  row: RowOption<Row>;
  options: { [Name in keyof z.output<Fields>]-?: FieldOption };
  /** The values of the fields, if they are not those of the options. */
  read?(input: Input): Record<string, unknown> | Promise<Record<string, unknown>>;
  /** The sentence about options that do not go together. */
  together?: string;
  /** Why the operation did not happen, by its code. */
  refused: { [Code in CodeOf<Impact> | CodeOf<Result>]: (row: Row, fields: z.output<Fields>) => string };
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
 * A command that carries out an operation. It needs `--yes` if the operation takes something away. What it finds is the row of
 * the operation, and perhaps what its question says.
 */
export function command<Row, Found extends Row, Fields extends z.ZodObject, Impact, Result, L extends Loss>(
  operation: Operation<Row, Fields, Impact, Result, L>,
  wording: Wording<Found, Fields, Impact, Result> & Question<L, Confirm<Found, Fields, Impact>>,
): Command {
  const { words, summary, begins, row } = wording;
  const { confirm }: { confirm?: Confirm<Found, Fields, Impact> } = wording;
  const optionOf = (field: string): string =>
    (wording.options as Record<string, FieldOption>)[field]?.name ?? field.replaceAll('_', '-');
  return {
    ...{ words, summary, operations: [operation], ...(begins && { begins }) },
    options: {
      ...row.options,
      ...optionsOf(operation.fields, wording.options, optionOf),
      ...(confirm && CONFIRMATION),
    },
    run: async (input) => {
      const fields = await readFields(input, operation.fields, wording, optionOf);
      await withAppContext(input, async (context) => {
        const found = await row.find(context, input);
        const outcome = await perform(operation, { ...context, actor: commandActor() }, found, fields, (impact) => {
          const { act, impact: shown } = confirm?.(found, impact, fields) ?? {};
          return act === undefined || isConfirmed(input, act, shown!) ? undefined : true;
        });
        if ('refused' in outcome) throw new UsageError(wording.refused[outcome.refused](found, fields));
        if ('rejected' in outcome)
          throw new UsageError(reasonAbout(`--${optionOf(outcome.rejected.place)}`, outcome.rejected));
        if ('done' in outcome) input.print(await wording.result(context, found, outcome.done, fields));
      });
    },
  };
}

function optionsOf(
  { shape }: z.ZodObject,
  options: Record<string, FieldOption>,
  optionOf: (field: string) => string,
): Record<string, CommandOption> {
  const entries = Object.entries(options).map(([field, { name: _, ...option }]): [string, CommandOption] => [
    optionOf(field),
    {
      type: kindOf(shape[field]!) === 'boolean' ? 'boolean' : 'string',
      ...option,
      ...(isOptional(shape[field]!) ? {} : { required: true }),
    },
  ]);
  return Object.fromEntries(entries);
}

/** @throws UsageError about the first option that is wrong */
export async function readFields<Fields extends z.ZodObject>(
  input: Input,
  fields: Fields,
  { read: values, together }: Pick<Wording<never, Fields, unknown, unknown>, 'read' | 'together'> = {},
  optionOf = (field: string): string => field,
): Promise<z.output<Fields>> {
  const entered = Object.fromEntries(Object.keys(fields.shape).map((field) => [field, input.values[optionOf(field)]]));
  const { data, error } = fields.safeParse(fieldsFrom(fields, (await values?.(input)) ?? entered));
  const issue = error?.issues[0];
  if (issue === undefined) return data as z.output<Fields>;
  const [field] = issue.path;
  throw new UsageError(
    field === undefined ? (together ?? issue.message) : `--${optionOf(String(field))} ${issue.message}.`,
  );
}
