import type { z } from 'zod';
import { fieldsFrom } from '#admin/fields.ts';
import {
  type CodeOf,
  type Done,
  type Loss,
  type Operation,
  perform,
  type Question,
  type Reauthenticate,
} from '#admin/operation.ts';
import { type Problem, problemsIn, reasonAbout } from '#events/schema/problems.ts';
import { HttpError } from '#http/errors.ts';
import type { Form } from '#http/form.ts';
import type { Problems } from './components.ts';
import { isConfirmed } from './confirmation.ts';
import type { ConsoleRequest, OwnedRequest, PageResult, Route } from './routes.ts';
import type { Texts } from './texts/index.ts';

type Shown = PageResult | Promise<PageResult>;

/** The text above the page of the row after the form. */
type DoneText = keyof Texts['done'];

/** What follows a form: the page of its row with a text, or another page. */
type Next<Arguments extends unknown[]> = DoneText | ((...of: Arguments) => Shown);

export type Issue = z.core.$ZodIssue;

/** How a page words an operation. */
interface Wording<Row, Fields extends z.ZodObject, Impact, Result> {
  /** @throws HttpError 404 if there is no such row */
  find(request: OwnedRequest): Promise<Row>;
  /** Another page, if this form of this person may not change the row. */
  instead?(request: OwnedRequest, row: Row): PageResult | undefined | Promise<PageResult | undefined>;
  /** The page of the row. */
  at?(row: Row, request: OwnedRequest): string;
  /** The values of the fields, if they are not the texts of the form. */
  read?(form: Form): Record<string, unknown>;
  /** The sentence about a field that is wrong (default: that of the schema). */
  wrong?(request: OwnedRequest, field: string, issue?: Issue): string | undefined;
  /** The page of the form again, with the sentences about its fields; a form without fields to enter needs none. */
  again?(request: OwnedRequest, problems: Problems): Shown;
  /** What follows if the operation did not happen, by the code of its refusal. */
  refused: {
    [Code in CodeOf<Impact> | CodeOf<Result>]: Next<[request: OwnedRequest, row: Row, fields: z.output<Fields>]>;
  };
  done: Next<[request: OwnedRequest, row: Row, result: Done<Result>, fields: z.output<Fields>]>;
}

/** The page before the operation; undefined if this one needs none. */
type Confirm<Row, Fields extends z.ZodObject, Impact> = (
  request: OwnedRequest,
  row: Row,
  impact: Done<Impact>,
  fields: z.output<Fields>,
) => Shown | undefined;

/** For a form that is itself the page before its operation. */
export const ASKED_BY_FORM = (): undefined => undefined;

/** Whether the form has the name that has to be typed before a loss. */
export const isTyped = ({ form }: ConsoleRequest, name: string): boolean => form['name']?.trim() === name;

/** A form that carries out an operation. A page asks before it if the operation takes something away. */
export function operationForm<Row, Fields extends z.ZodObject, Impact, Result, L extends Loss>(
  path: string,
  operation: Operation<Row, Fields, Impact, Result, L>,
  wording: Wording<NoInfer<Row>, Fields, Impact, Result> & Question<L, Confirm<NoInfer<Row>, Fields, Impact>>,
): Route {
  const { who, fields: schema } = operation;
  const reauthenticate: Reauthenticate<z.output<Fields>> = operation.reauthenticate;
  const { confirm }: { confirm?: Confirm<Row, Fields, Impact> } = wording;
  const parse = (form: Form) => schema.safeParse(fieldsFrom(schema, wording.read?.(form) ?? trimmed(form)));
  const again = (request: OwnedRequest, problems: readonly [string, string][]): Shown => {
    if (wording.again !== undefined) return wording.again(request, Object.fromEntries(problems.toReversed()));
    throw new HttpError(400, 'invalid_request', problems.map(([, sentence]) => sentence).join(' '));
  };
  return {
    ...{ method: 'POST', path, who, operations: [operation] },
    reauthenticate:
      typeof reauthenticate !== 'function'
        ? reauthenticate
        : (form) => {
            const { data } = parse(form);
            return data === undefined || reauthenticate(data);
          },
    handle: async (request) => {
      const row = await wording.find(request);
      const instead = await wording.instead?.(request, row);
      if (instead !== undefined) return instead;
      const { data: fields, error } = parse(request.form);
      const problem = (field: string, found: Problem, issue?: Issue): [string, string] => [
        field,
        wording.wrong?.(request, field, issue) ?? reasonAbout('This', found),
      ];
      if (error !== undefined) {
        const problems = error.issues.map((issue) =>
          problem(String(issue.path[0] ?? ''), problemsIn([issue], request.form, [])[0]!, issue),
        );
        return await again(request, problems);
      }
      const outcome = await perform(operation, { ...request.deps, actor: request.actor }, row, fields, (impact) =>
        isConfirmed(request) ? undefined : confirm?.(request, row, impact, fields),
      );
      if ('asked' in outcome) return outcome.asked;
      const back = (done: DoneText): string => `${wording.at!(row, request)}?done=${done}`;
      if ('refused' in outcome) {
        const next = wording.refused[outcome.refused];
        return typeof next === 'string' ? back(next) : await next(request, row, fields);
      }
      if ('rejected' in outcome) return await again(request, [problem(outcome.rejected.place, outcome.rejected)]);
      const { done: next } = wording;
      return typeof next === 'string' ? back(next) : await next(request, row, outcome.done, fields);
    },
  };
}

/**
 * Forms that share a path and differ in a field. One without the value of a button changes nothing, and the page says so.
 * @param forms by the value of the field, or by what is read from the form
 * @param page of the forms, if it has another path
 */
export function oneOfForms(
  field: string | ((form: Form) => string | undefined),
  forms: Readonly<Record<string, Route>>,
  page: (request: OwnedRequest) => string = ({ c }) => c.req.path.replace(/^\/console/, ''),
): Route {
  const chosen = (form: Form): Route | undefined => {
    const value = (typeof field === 'string' ? form[field] : field(form)) ?? '';
    return Object.hasOwn(forms, value) ? forms[value] : undefined;
  };
  return {
    ...Object.values(forms)[0]!,
    operations: Object.values(forms).flatMap(({ operations = [] }) => operations),
    reauthenticate: (form) => {
      const { reauthenticate = 'never' } = chosen(form) ?? {};
      return typeof reauthenticate === 'function' ? reauthenticate(form) : reauthenticate === 'always';
    },
    handle: async (request) => (await chosen(request.form)?.handle(request)) ?? `${page(request)}?done=undecided`,
  };
}

const trimmed = (form: Form): Record<string, unknown> =>
  Object.fromEntries(Object.entries(form).map(([name, text]) => [name, text?.trim()]));
